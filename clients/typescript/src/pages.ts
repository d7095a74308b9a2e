import type { Holdfast } from "./client.js";
import type { components, paths } from "./schema.js";
import { unwrap } from "./problems.js";

type Listed<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": { data: (infer Item)[]; next_cursor?: string } } } } };
}
  ? Item
  : never;

/** The paths that list things in pages. */
export type ListPath = { [P in keyof paths]: Listed<P> extends never ? never : P }[Exclude<keyof paths, "/v1/events" | "/admin/v1/events">];

type ListParams<P extends ListPath> = paths[P] extends { get: { parameters: infer Params } } ? Params : never;

/** iterate reads all pages of a list: `for await (const booking of iterate(holdfast, "/v1/bookings", { query: { status: "held" } }))`. */
export async function* iterate<P extends ListPath>(holdfast: Holdfast, path: P, params?: Partial<ListParams<P>>): AsyncGenerator<Listed<P>> {
  const get = holdfast.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<{ data?: { data: Listed<P>[]; next_cursor?: string }; error?: unknown; response: Response }>;
  const given = params as { query?: object } | undefined;
  for (let cursor: string | undefined; ; ) {
    const page = await unwrap(get(path, { params: { ...given, query: { ...given?.query, ...(cursor && { cursor }) } } }));
    yield* page.data;
    if (!page.next_cursor) return;
    cursor = page.next_cursor;
  }
}

/** A page of the feed. Store next_cursor in the transaction in which you handle the events. */
export type FeedPage = components["schemas"]["EventPage"];

/** events reads the pages of the feed after a cursor, until there is nothing more for now. */
export async function* events(holdfast: Holdfast, query: { after?: string; types?: string; subject?: string; limit?: number } = {}): AsyncGenerator<FeedPage> {
  for (let next = query; ; ) {
    const page = (await unwrap(holdfast.GET("/v1/events", { params: { query: next } }))) as FeedPage;
    yield page;
    if (!page.has_more) return;
    next = { ...next, after: page.next_cursor };
  }
}

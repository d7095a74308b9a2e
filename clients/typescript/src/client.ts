import createClient, { type Client } from "openapi-fetch";
import { retrying, type RetryOptions } from "./retry.js";
import type { paths } from "./schema.js";

/** A typed client: `holdfast.POST("/v1/bookings", { body })`. */
export type Holdfast = Client<paths, "application/json">;

export interface HoldfastOptions {
  /** The server's address, such as https://booking.example.com. */
  baseUrl: string;
  /** A tenant's API key, or the server's admin key for the routes under /admin. */
  apiKey: string;
  /** For the operator, with the admin key: the tenant to act for, by its slug or id, and who acts, as the tenant's history will say. */
  actingFor?: { tenant: string; actor: string };
  /** How requests are repeated. */
  retry?: RetryOptions;
  /** What sends requests, in place of the global fetch. */
  fetch?: typeof fetch;
}

/**
 * createHoldfast returns a client of a server. A POST without an Idempotency-Key gets a random one, so that it can be repeated. Give a key of
 * your own, and keep it, if a change must not be made twice although your process ends:
 * `holdfast.POST("/v1/bookings", { body, params: { header: { "Idempotency-Key": key } } })`.
 */
export function createHoldfast(options: HoldfastOptions): Holdfast {
  const send = retrying(options.fetch ?? ((request) => fetch(request)), options.retry);
  const client = createClient<paths, "application/json">({ baseUrl: options.baseUrl.replace(/\/+$/, ""), fetch: send });
  client.use({
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${options.apiKey}`);
      if (options.actingFor) {
        request.headers.set("Holdfast-Tenant", options.actingFor.tenant);
        request.headers.set("Holdfast-Actor", options.actingFor.actor);
      }
      if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
        request.headers.set("Idempotency-Key", crypto.randomUUID());
      }
      return request;
    },
  });
  return client;
}

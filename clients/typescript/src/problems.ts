import type { components } from "./schema.js";

/** A problem document: why a request was refused, or failed. */
export type Problem = components["schemas"]["ProblemDocument"];

/** The codes that are known. New ones come: treat one that isn't here by the status. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/** HoldfastError is a refusal or failure. `code` tells programs what happened. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  /** Absent if the answer was no problem document, such as that of a proxy. */
  readonly problem: Problem | undefined;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** How many seconds to wait before the request is sent again. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : undefined;
    super(problem ? `${problem.code}: ${problem.detail}` : `HTTP ${response.status}`);
    this.status = response.status;
    this.code = problem?.code ?? "unknown";
    this.problem = problem;
    this.requestId = response.headers.get("Request-Id") ?? undefined;
    const after = response.headers.get("Retry-After");
    this.retryAfter = after !== null && /^\d+$/.test(after) ? Number(after) : undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && typeof (body as { code?: unknown }).code === "string";
}

/** unwrap returns what a request shows, and throws a HoldfastError if it was refused or failed. */
export async function unwrap<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<NonNullable<T>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new HoldfastError(response, error);
  return data as NonNullable<T>;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHoldfast, HoldfastError, iterate, retrying, unwrap } from "../src/index.js";

type Answer = (request: Request) => Response | Promise<Response>;

/** A fetch that gives answers one after the other, and notes what it was sent. */
function scripted(...answers: Answer[]) {
  const sent: { key: string | null; body: string; url: string }[] = [];
  const pauses: number[] = [];
  const send = async (request: Request) => {
    sent.push({ key: request.headers.get("Idempotency-Key"), body: await request.text(), url: request.url });
    const answer = answers[sent.length - 1];
    assert.ok(answer, "too many requests");
    return answer(request);
  };
  const options = { sleep: async (ms: number) => void pauses.push(ms), random: () => 0.5 };
  return { send, sent, pauses, options };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) => () =>
  new Response(JSON.stringify({ type: "", title: "", status, detail: "d", code }), {
    status,
    headers: { "Content-Type": "application/problem+json", ...headers },
  });
const ok = (body: unknown) => () => Response.json(body);
const broken = () => {
  throw new TypeError("fetch failed");
};
const post = (headers: Record<string, string> = { "Idempotency-Key": "k" }) =>
  new Request("http://holdfast.test/v1/bookings", { method: "POST", body: '{"a":1}', headers });

test("a request is repeated with its key and body after a broken connection, 503 and request_in_progress", async () => {
  const s = scripted(broken, problem(503, "lock_timeout"), problem(409, "request_in_progress", { "Retry-After": "1" }), ok({}));
  const response = await retrying(s.send, s.options)(post());
  assert.equal(response.status, 200);
  assert.deepEqual(s.sent.map(({ key, body }) => [key, body]), Array(4).fill(["k", '{"a":1}']));
  assert.deepEqual(s.pauses, [100, 200, 1400], "pauses grow, and Retry-After comes on top");
});

test("other answers are final", async () => {
  for (const [status, code] of [[409, "slot_unavailable"], [429, "rate_limited"], [500, "internal_error"], [422, "validation_failed"]] as const) {
    const s = scripted(problem(status, code));
    assert.equal((await retrying(s.send, s.options)(post())).status, status);
    assert.equal(s.sent.length, 1);
  }
});

test("a POST without a key is sent once", async () => {
  const s = scripted(problem(503, "overloaded"));
  assert.equal((await retrying(s.send, s.options)(post({}))).status, 503);
});

test("the last attempt's answer is returned, and its error thrown", async () => {
  const s = scripted(problem(503, "overloaded"), problem(503, "overloaded"));
  assert.equal((await retrying(s.send, { ...s.options, attempts: 2 })(post())).status, 503);
  const t = scripted(broken, broken);
  await assert.rejects(retrying(t.send, { ...t.options, attempts: 2 })(post()), TypeError);
});

test("a longer Retry-After than the longest pause is left to the caller", async () => {
  const s = scripted(problem(503, "overloaded", { "Retry-After": "60" }));
  assert.equal((await retrying(s.send, s.options)(post())).status, 503);
});

test("an aborted request isn't repeated", async () => {
  const controller = new AbortController();
  const s = scripted(() => {
    controller.abort();
    throw controller.signal.reason;
  });
  await assert.rejects(retrying(s.send, s.options)(new Request(post(), { signal: controller.signal })), { name: "AbortError" });
  assert.equal(s.sent.length, 1);
});

test("the client sends its key, makes idempotency keys, and throws refusals with their code", async () => {
  const s = scripted(problem(409, "slot_unavailable", { "Request-Id": "r1" }), problem(409, "slot_unavailable"));
  const holdfast = createHoldfast({ baseUrl: "http://holdfast.test/", apiKey: "hf_x", fetch: s.send as typeof fetch, retry: s.options });
  const body = { service_id: "0197f0c6-3000-7c31-8a5e-0d0c5f6b7a01" };
  const error = await unwrap(holdfast.POST("/v1/bookings", { body })).then(() => assert.fail("it was refused"), (error: unknown) => error);
  assert.ok(error instanceof HoldfastError);
  assert.deepEqual([error.status, error.code, error.requestId], [409, "slot_unavailable", "r1"]);
  await holdfast.POST("/v1/bookings", { body, params: { header: { "Idempotency-Key": "mine" } } });
  assert.match(s.sent[0]?.key ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(s.sent[1]?.key, "mine");
});

test("all pages of a list are read", async () => {
  const s = scripted(ok({ data: [{ id: "1" }, { id: "2" }], next_cursor: "c" }), ok({ data: [], next_cursor: "d" }), ok({ data: [{ id: "3" }] }));
  const holdfast = createHoldfast({ baseUrl: "http://holdfast.test", apiKey: "hf_x", fetch: s.send as typeof fetch, retry: s.options });
  const ids: string[] = [];
  for await (const booking of iterate(holdfast, "/v1/bookings", { query: { status: "held" } })) ids.push(booking.id);
  assert.deepEqual(ids, ["1", "2", "3"]);
  assert.equal(s.sent[1]?.url, "http://holdfast.test/v1/bookings?status=held&cursor=c");
});

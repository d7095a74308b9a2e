// Books, repeats the request, lists bookings, and receives a webhook. It needs HOLDFAST_URL and HOLDFAST_API_KEY, and a server with demo data
// that may send webhooks to 127.0.0.1: HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHoldfast, HoldfastError, iterate, unwrap, verifyWebhook } from "../src/index.js";

const holdfast = createHoldfast({ baseUrl: process.env["HOLDFAST_URL"]!, apiKey: process.env["HOLDFAST_API_KEY"]! });

// What can be booked, and when.
let slot: { service: string; starts_at: string } | undefined;
const date = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
for await (const service of iterate(holdfast, "/v1/services")) {
  if (service.kind !== "slot" || slot) continue;
  const path = { id: service.id };
  const days = await unwrap(holdfast.GET("/v1/services/{id}/availability", { params: { path, query: { from: date(2), to: date(30) } } }));
  const free = days.data.flatMap((day) => day.slots ?? []).find((slot) => slot.remaining > 0);
  if (free) slot = { service: service.id, starts_at: free.starts_at };
}
if (!slot) throw new Error("nothing can be booked");

// Book it. Repeating the request with its key gets the same booking.
const key = crypto.randomUUID();
const book = () =>
  holdfast.POST("/v1/bookings", {
    params: { header: { "Idempotency-Key": key } },
    body: { service_id: slot.service, starts_at: slot.starts_at, customer: { name: "Ada Lovelace", email: "ada@example.com" } },
  });
const booking = await unwrap(book());
console.log("booked", booking.id, booking.starts_at);
const again = await book();
console.log("again", again.data?.id === booking.id, "replayed", again.response.headers.get("Idempotent-Replayed"));

// A refusal has a code.
try {
  await unwrap(holdfast.GET("/v1/bookings/{id}", { params: { path: { id: crypto.randomUUID() } } }));
} catch (error) {
  if (!(error instanceof HoldfastError)) throw error;
  console.log("refused", error.status, error.code);
}

// List bookings, page by page.
let listed = 0;
for await (const b of iterate(holdfast, "/v1/bookings", { query: { limit: 1 } })) if (b.id === booking.id) listed++;
console.log("listed", listed);

// Receive an event.
const secrets: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const event = verifyWebhook(Buffer.concat(chunks), request.headers, secrets);
    response.writeHead(204).end();
    console.log("received", event.type);
    server.close();
  } catch {
    response.writeHead(400).end();
  }
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
const endpoint = await unwrap(holdfast.POST("/v1/webhook-endpoints", { body: { url, types: ["booking.*"] } }));
secrets.push(endpoint.secret!);
await unwrap(holdfast.POST("/v1/webhook-endpoints/{id}/ping", { params: { path: { id: endpoint.id } } }));

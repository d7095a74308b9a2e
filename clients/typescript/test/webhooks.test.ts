import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError, type Event, type EventOf } from "../src/index.js";

const secret = "whsec_" + Buffer.from("a secret of these tests").toString("base64");
const former = "whsec_" + Buffer.from("the former secret").toString("base64");
const body = JSON.stringify({ id: "e1", type: "booking.confirmed", sequence: 2, data: { status: "confirmed" } });
const now = () => 1_782_892_800_000;

function signed(by: string, timestamp = "1782892800", text = body): Record<string, string> {
  const mac = createHmac("sha256", Buffer.from(by.slice(6), "base64")).update(`e1.${timestamp}.${text}`).digest("base64");
  return { "webhook-id": "e1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

test("a genuine delivery is the event, by any of the secrets and any of the signatures", () => {
  const event: Event = verifyWebhook(body, signed(secret), secret, { now });
  if (event.type === "booking.confirmed") assert.equal(event.data.status, "confirmed");
  assert.equal(event.type, "booking.confirmed");
  verifyWebhook(Buffer.from(body), new Headers(signed(former)), [secret, former], { now });
  const both = { ...signed(secret), "webhook-signature": `v1a,zzzz ${signed(former)["webhook-signature"]} ${signed(secret)["webhook-signature"]}` };
  verifyWebhook(body, both, secret, { now });
});

test("what isn't genuine is refused", () => {
  const refused: [string, string, Record<string, string>][] = [
    ["another secret", body, signed(former)],
    ["another body", body + " ", signed(secret)],
    ["another id", body, { ...signed(secret), "webhook-id": "e2" }],
    ["too old", body, signed(secret, "1782892499")],
    ["too new", body, signed(secret, "1782893101")],
    ["no number", body, signed(secret, "1e9")],
    ["no signature", body, { "webhook-id": "e1", "webhook-timestamp": "1782892800" }],
    ["an empty signature", body, { ...signed(secret), "webhook-signature": "v1," }],
    ["another version", body, { ...signed(secret), "webhook-signature": signed(secret)["webhook-signature"]!.replace("v1", "v2") }],
    ["no JSON", "x", signed(secret, "1782892800", "x")],
  ];
  for (const [why, text, headers] of refused) {
    assert.throws(() => verifyWebhook(text, headers, secret, { now }), WebhookVerificationError, why);
  }
  assert.throws(() => verifyWebhook(body, signed("whsec_"), "whsec_", { now }), WebhookVerificationError, "an empty secret");
});

test("a type names its event's data", () => {
  const status = (event: EventOf<"booking.confirmed">): string => event.data.status;
  assert.equal(typeof status, "function");
});

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Event } from "./events.js";

/** WebhookVerificationError says why a delivery isn't to be trusted. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

export interface VerifyOptions {
  /** How many seconds the timestamp may differ from the clock; 300 unless set. */
  tolerance?: number;
  /** The time in milliseconds since 1970; for tests. */
  now?: () => number;
}

/**
 * verifyWebhook returns the event of a delivery whose signature is that of one of the secrets: give both while you rotate them. body is what
 * came, before anything parsed it. It throws a WebhookVerificationError.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Event {
  const { tolerance = 300, now = Date.now } = options;
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string" || value === "") throw new WebhookVerificationError(`the header ${name} is missing`);
    return value;
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature").split(" ");
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError("the timestamp is no number of seconds");
  if (Math.abs(now() / 1000 - Number(timestamp)) > tolerance) throw new WebhookVerificationError("the timestamp is too old or too new");
  const genuine = (typeof secrets === "string" ? [secrets] : secrets).some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    if (key.length === 0) throw new WebhookVerificationError("a secret is empty");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    return signatures.some((signature) => {
      if (!signature.startsWith("v1,")) return false;
      const given = Buffer.from(signature.slice(3), "base64");
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  });
  if (!genuine) throw new WebhookVerificationError("no signature is that of a secret");
  try {
    return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString("utf8")) as Event;
  } catch {
    throw new WebhookVerificationError("the body is no JSON");
  }
}

export { createHoldfast, type Holdfast, type HoldfastOptions } from "./client.js";
export { HoldfastError, unwrap, type ErrorCode, type Problem } from "./problems.js";
export { events, iterate, type FeedPage } from "./pages.js";
export { retrying, type RetryOptions } from "./retry.js";
export { verifyWebhook, WebhookVerificationError, type VerifyOptions } from "./webhooks.js";
export type { Event, EventOf, EventType } from "./events.js";
export type { components, operations, paths } from "./schema.js";

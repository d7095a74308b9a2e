import type { components } from "./schema.js";

/** An event, as a webhook delivers it. A switch over its type narrows its data. */
export type Event = components["schemas"]["WebhookEvent"];

/** The types that are known. New ones come: pass over those that you don't know. */
export type EventType = Event["type"];

/** The event of a type: EventOf<"booking.confirmed">. */
export type EventOf<T extends EventType> = Event extends infer E ? (E extends { type: infer Types } ? (T extends Types ? E & { type: T } : never) : never) : never;

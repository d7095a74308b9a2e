// Package outbox shows tenants what happened, in the order in which it happened. Each change writes an event in its own commit; the feed
// reads these events.
//
//   - representation.go: an event as the API and webhooks show it.
//   - types.go: the types of events, and filters by them.
//   - cursor.go: cursors, the places in the feed that readers keep.
//   - position.go: places in the feed for a replay of webhooks, and their cursors.
//   - service.go: reading the feed.
package outbox

// Package change shows tenants what changed: the feed of events, and the history of one thing. Each change writes one
// record in its own commit, with who asked for it and the subject as the API shows it afterwards. This package reads
// these records: as the feed, in the order in which changes happened, and as the history of one subject.
//
//   - operations.go: what can be asked of the feed.
//   - representation.go: a change as the feed and webhooks show it, and as a history shows it.
//   - subject.go: the kinds of things of which changes are recorded.
//   - types.go: filters by the types of changes and notices.
//   - cursor.go: cursors, the positions in the feed that readers keep.
//   - position.go: positions in the feed, and their cursors for a replay of webhooks.
//   - sql.go, read.go: reading what is stored.
//   - feed.go: reading the feed in pages.
//   - history.go: reading histories, and what differs between two records.
package change

// Package developers is the section of the console with API keys, webhooks and scheduled events.
//
//	section.go        the section
//	keys.go           API keys
//	webhooks.go       webhook endpoints
//	deliveries.go, replay.go  what was delivered to an endpoint, and delivering it again
//	events.go         scheduled events
package developers

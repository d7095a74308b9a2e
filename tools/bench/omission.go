package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"holdfast/internal/servertest"
)

// omissionSource is the file with the methods that omissions replace.
const omissionSource = "internal/store/events.go"

// omission is a server that differs from today's in one method, which it is built with instead of the product's: it writes less with a
// booking.
type omission struct {
	name    string // what the server is, as in "one that writes no event of the outbox"
	method  string
	instead string
}

var (
	withoutOutbox = omission{
		"one that writes no event of the outbox",
		"func (q *eventQueue) AddToOutbox(e OutboxEvent) { q.outbox = append(q.outbox, e) }",
		"func (q *eventQueue) AddToOutbox(OutboxEvent) {}",
	}
	withoutHistory = omission{
		"one that writes no history",
		"func (q *eventQueue) AddToHistory(e HistoryEntry) {\n\tq.history = append(q.history, actedEntry{e, q.actor})\n}",
		"func (q *eventQueue) AddToHistory(HistoryEntry) {}",
	}
)

// compareWithout measures what today's server writes and the other one omits costs a booking: both servers, in turns.
func (b *bench) compareWithout(ctx context.Context, o omission, rounds int) (*comparison, error) {
	b.say("building " + o.name)
	return b.compareWith(ctx, o.name, func(dir string) (string, error) { return o.build(ctx, dir) }, rounds,
		regexp.MustCompile("^("+manyTenants+"|"+oneTenant+")/"))
}

// build builds the server. The source stays as it is: the compiler gets another file in its place.
func (o omission) build(ctx context.Context, dir string) (string, error) {
	root, err := servertest.Root(ctx)
	if err != nil {
		return "", err
	}
	source := filepath.Join(root, filepath.FromSlash(omissionSource))
	text, err := o.in(source)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "events.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write the server's changed source: %w", err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {source: changed}})
	if err != nil {
		return "", fmt.Errorf("list the changed source: %w", err)
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", fmt.Errorf("list the changed source: %w", err)
	}
	return servertest.Build(ctx, dir, "-trimpath", "-overlay", overlay)
}

// in returns the text of a source file with the other method.
func (o omission) in(source string) (string, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("read the server's source: %w", err)
	}
	if strings.Count(string(text), o.method) != 1 {
		return "", fmt.Errorf("%s has no %q: adapt the benchmark to it", source, o.method)
	}
	return strings.Replace(string(text), o.method, o.instead, 1), nil
}

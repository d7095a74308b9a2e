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

// The server without an outbox differs from today's in one method, which it is built with instead of the product's.
const (
	outboxSource  = "internal/store/events.go"
	outboxMethod  = "func (q *eventQueue) AddToOutbox(e OutboxEvent) { q.outbox = append(q.outbox, e) }"
	withoutOutbox = "func (q *eventQueue) AddToOutbox(OutboxEvent) {}"
)

// compareOutbox measures what an event of the outbox costs a booking: a server that writes none and today's, in turns.
func (b *bench) compareOutbox(ctx context.Context, rounds int) (*comparison, error) {
	b.say("building a server without an outbox")
	return b.compareWith(ctx, "one that writes no event of the outbox", func(dir string) (string, error) {
		return buildWithoutOutbox(ctx, dir)
	}, rounds, regexp.MustCompile("^("+manyTenants+"|"+oneTenant+")/"))
}

// buildWithoutOutbox builds today's server without what adds events to the outbox. The source stays as it is: the compiler gets
// another file in its place.
func buildWithoutOutbox(ctx context.Context, dir string) (string, error) {
	root, err := servertest.Root(ctx)
	if err != nil {
		return "", err
	}
	source := filepath.Join(root, outboxSource)
	text, err := withoutOutboxIn(source)
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

// withoutOutboxIn returns the text of a source file without what adds events to the outbox.
func withoutOutboxIn(source string) (string, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("read what adds to the outbox: %w", err)
	}
	if strings.Count(string(text), outboxMethod) != 1 {
		return "", fmt.Errorf("%s has no line %q: adapt the benchmark to it", source, outboxMethod)
	}
	return strings.Replace(string(text), outboxMethod, withoutOutbox, 1), nil
}

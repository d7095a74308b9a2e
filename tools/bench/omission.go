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

// omission is a server that differs from today's in a few lines, and so writes less with a booking.
type omission struct {
	name   string // what the server is, as in "one that writes no event of the outbox"
	source string // the file with the lines
	lines  string
	others string // that it has instead
}

var (
	withoutOutbox = omission{
		"one that writes no event of the outbox", "internal/store/events.go",
		"func (q *eventQueue) AddToOutbox(e OutboxEvent) { q.outbox = append(q.outbox, e) }",
		"func (q *eventQueue) AddToOutbox(OutboxEvent) {}",
	}
	// It doesn't make the entry either.
	withoutHistory = omission{
		"one that writes no history of bookings", "internal/booking/outbox.go",
		`	entry, err := b.entry(eventType, before)
	if err != nil {
		return err
	}
	tx.AddToOutbox(b.outboxEvent(eventType, body))
	tx.AddToHistory(entry)
`,
		"	tx.AddToOutbox(b.outboxEvent(eventType, body))\n",
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
	overlay, err := o.overlay(root, dir)
	if err != nil {
		return "", err
	}
	return servertest.Build(ctx, dir, "-overlay", overlay)
}

// overlay writes to dir what the compiler gets in the place of the source under root, and returns the file that says so.
func (o omission) overlay(root, dir string) (string, error) {
	source := filepath.Join(root, filepath.FromSlash(o.source))
	text, err := o.in(source)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write the server's changed source: %w", err)
	}
	replaced, err := overlaid()
	if err != nil {
		return "", err
	}
	replaced[source] = changed
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", fmt.Errorf("list the changed source: %w", err)
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", fmt.Errorf("list the changed source: %w", err)
	}
	return overlay, nil
}

// overlaid returns the files that GOFLAGS has the compiler replace, such as those of the clock that make test sets. A build takes one overlay only.
func overlaid() (map[string]string, error) {
	for flag := range strings.FieldsSeq(os.Getenv("GOFLAGS")) {
		file, ok := strings.CutPrefix(flag, "-overlay=")
		if !ok {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the overlay of GOFLAGS: %w", err)
		}
		var overlay struct{ Replace map[string]string }
		if err := json.Unmarshal(text, &overlay); err != nil {
			return nil, fmt.Errorf("read the overlay of GOFLAGS: %w", err)
		}
		return overlay.Replace, nil
	}
	return map[string]string{}, nil
}

// in returns the text of a source file with the other lines.
func (o omission) in(source string) (string, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return "", fmt.Errorf("read the server's source: %w", err)
	}
	if strings.Count(string(text), o.lines) != 1 {
		return "", fmt.Errorf("%s has no %q: adapt the benchmark to it", source, o.lines)
	}
	return strings.Replace(string(text), o.lines, o.others, 1), nil
}

package cluster

import (
	"bytes"
	"sync"
)

// tailSize bounds what is kept of a process's output.
const tailSize = 512 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write takes all of p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if surplus := len(t.text) - tailSize; surplus > tailSize { // seldom, because it copies
		t.text = append(t.text[:0], t.text[surplus:]...)
	}
	return len(p), nil
}

// Bytes returns a copy of what was kept.
func (t *tail) Bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.text)
}

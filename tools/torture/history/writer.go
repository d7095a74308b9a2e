package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Writer appends to a history on disk. It is safe for concurrent use.
type Writer struct {
	file  *os.File
	began time.Time

	mu      sync.Mutex
	changed *sync.Cond // there is something to write, or it was written, or it failed
	last    int64      // the last operation's ID
	pending []byte
	written int64 // flushes that are on disk
	asked   int64 // flushes that are on disk when everything pending is
	closing bool
	ended   chan struct{}
	err     error
}

// Create makes a history at path, which must not exist. The run's clock begins now.
func Create(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // G304: the caller's file
	if err != nil {
		return nil, fmt.Errorf("create the history: %w", err)
	}
	w := &Writer{file: file, began: time.Now(), asked: 1, ended: make(chan struct{})}
	w.changed = sync.NewCond(&w.mu)
	go w.flush()
	return w, nil
}

// Began is when the run's clock stood at zero.
func (w *Writer) Began() time.Time { return w.began }

// Now is the time since the start of the run.
func (w *Writer) Now() time.Duration { return time.Since(w.began) }

// Invoke gives an operation its ID and its time, and returns it when it is on disk. Invocations that wait at the same
// time share one flush of the disk.
func (w *Writer) Invoke(op Operation) (Operation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	op.ID, op.Invoked = w.last, w.Now()
	if err := w.add(op); err != nil {
		return op, err
	}
	for mine := w.asked; w.written < mine && w.err == nil; {
		w.changed.Wait()
	}
	return op, w.err
}

// Return records how an operation ended, at this moment. It doesn't wait for the disk: an operation whose end is lost
// is one that is still open.
func (w *Writer) Return(op Operation) (Operation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	op.Returned = w.Now()
	end := op
	end.Request = nil // stands in the invocation
	return op, w.add(end)
}

// Close writes what is pending and closes the file.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closing = true
	w.changed.Broadcast()
	w.mu.Unlock()
	<-w.ended
	return errors.Join(w.err, w.file.Close())
}

func (w *Writer) add(op Operation) error {
	line, err := json.Marshal(op)
	if err != nil {
		return fmt.Errorf("encode an operation: %w", err)
	}
	w.pending = append(append(w.pending, line...), '\n')
	w.changed.Broadcast()
	return w.err
}

// flush writes what is pending, again and again. What arrives while it waits for the disk goes with the next flush.
func (w *Writer) flush() {
	defer close(w.ended)
	var lines []byte
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil {
		for len(w.pending) == 0 && !w.closing {
			w.changed.Wait()
		}
		if len(w.pending) == 0 {
			return
		}
		lines, w.pending = w.pending, lines[:0]
		w.asked++
		w.mu.Unlock()
		_, err := w.file.Write(lines)
		if err == nil {
			err = syncData(w.file)
		}
		w.mu.Lock()
		w.written++
		if err != nil {
			w.err = fmt.Errorf("write the history: %w", err)
		}
		w.changed.Broadcast()
	}
}

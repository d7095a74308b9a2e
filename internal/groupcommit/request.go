package groupcommit

import "context"

// Request is one caller's part of a group. Only the leader's goroutine may use its methods.
type Request[V any] struct {
	// Value is what the caller wants.
	Value V

	ctx  context.Context //nolint:containedctx // a request waits in a group, where it has no call of its own
	lead chan struct{}   // tells the request to lead
	done chan struct{}   // closed when the fields below are final

	completed bool
	err       error
	panicked  any
}

// Context returns the context of the request's caller.
func (r *Request[V]) Context() context.Context { return r.ctx }

// Run calls f for the request. The error of f becomes the request's result. A panic of f ends only the request: report
// is called with the panic's value, on the stack of the panic, and the panic goes on in the request's own call of Join.
// Run reports whether f returned nil.
func (r *Request[V]) Run(f func() error, report func(panicked any)) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			r.panicked, ok = v, false
			report(v)
		}
	}()
	r.err = f()
	return r.err == nil
}

// Complete gives the request its result at once. Later results are ignored.
func (r *Request[V]) Complete(err error) {
	if r.completed {
		return
	}
	r.completed, r.err = true, err
	close(r.done)
}

// result waits for the request's result and returns it.
func (r *Request[V]) result() error {
	<-r.done
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.err
}

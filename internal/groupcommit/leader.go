package groupcommit

// Leader is the request that commits for its group. Only the goroutine that joined may use it.
type Leader[V any] struct {
	groups  *Groups[V]
	group   *group[V]
	request *Request[V]
	ended   bool
}

// Close ends the joining and returns the group's requests, the leader's own first. Each of them gets a result by Run,
// Complete or End.
func (l *Leader[V]) Close() []*Request[V] {
	l.groups.mu.Lock()
	defer l.groups.mu.Unlock()
	l.group.closed = true
	l.groups.forget(l.group)
	return l.group.requests
}

// End gives each request of the closed group its result, and returns the leader's own. The result is err; if that is
// nil, it is the result of the request's Run. Requests that are complete keep theirs. A panic of the leader's own Run
// goes on in End.
func (l *Leader[V]) End(err error) error {
	l.ended = true
	for _, r := range l.group.requests {
		if err != nil {
			r.Complete(err)
		}
		r.Complete(r.err)
	}
	return l.request.result()
}

// Abort ends the leading, with an error if End wasn't called; defer it. The next request leads if the group isn't
// closed. If it is, requests without a result get ErrAborted.
func (l *Leader[V]) Abort() {
	l.groups.requests.Add(-1)
	if l.ended || l.groups.leave(l.group, l.request) {
		return
	}
	for _, r := range l.group.requests {
		r.Complete(ErrAborted)
	}
}

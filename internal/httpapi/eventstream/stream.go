package eventstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// newsPause is how long a stream waits after it was told of news: more may follow.
const newsPause = 50 * time.Millisecond

// Feed is a feed that is read: of one tenant, or of all.
type Feed struct {
	// Page returns the events behind a cursor.
	Page func(context.Context, change.Query) (change.Page, error)
	// Body returns an event as it is sent.
	Body func(change.Event) any
}

// Client is whose stream it is.
type Client struct {
	// Tenant is the tenant's id, zero for the operator. Open streams are counted by it.
	Tenant uuid.UUID
	// Authenticate checks the client's key again and returns its tenant.
	Authenticate func(context.Context) (tenant.Tenant, error)
}

// stream is one open stream. One goroutine uses it.
type stream struct {
	streams *Streams
	client  Client
	query   change.Query
	feed    Feed
	// news is closed when there may be more events than page has.
	news <-chan struct{}
	page change.Page

	c         *gin.Context
	checkedAt time.Time // when the API key was checked
	wroteAt   time.Time
}

// Open reads the first page of a stream. The stream is sent when the request has left admission: it takes no permit,
// and no connection while it waits.
//
// Errors: problem.Overloaded when there are too many streams; those of change.Service.Page.
func (s *Streams) Open(ctx context.Context, client Client, q change.Query, feed Feed,
) (send func(*gin.Context), err error) {
	release, err := s.acquire(client.Tenant)
	if err != nil {
		return nil, err
	}
	opened := &stream{streams: s, client: client, query: q, feed: feed, news: s.changes.News(), checkedAt: time.Now()}
	if opened.page, err = feed.Page(ctx, q); err != nil {
		release()
		return nil, err
	}
	return func(c *gin.Context) {
		defer release()
		opened.c = c
		opened.send()
	}, nil
}

// send sends pages until the client goes, the server drains, the API key is revoked, or the stream's life is over.
// After other errors it ends too: the client gets the error when it connects again.
func (s *stream) send() {
	ctx, cancel := context.WithTimeout(s.c.Request.Context(), s.streams.limits.Life)
	defer cancel()
	defer context.AfterFunc(s.streams.edge.Draining(), cancel)()
	edge.BeginStream(s.c)
	// The server's time limits are those of requests that are answered at once.
	client := http.NewResponseController(s.c.Writer)
	_ = client.SetReadDeadline(time.Time{})
	// for the end of the response
	defer func() { _ = client.SetWriteDeadline(time.Now().Add(s.streams.limits.WriteTimeout)) }()
	s.c.Header("Content-Type", MediaType)
	s.c.Header("X-Accel-Buffering", "no") // nginx would collect the events
	for ctx.Err() == nil && s.keyIsValid(ctx) && s.write() {
		if !s.page.More {
			s.wait(ctx)
		}
		if err := s.read(ctx); err != nil {
			return
		}
	}
}

// wait returns when there may be news, or after the time between two polls.
func (s *stream) wait(ctx context.Context) {
	poll := time.NewTimer(s.streams.limits.Poll)
	defer poll.Stop()
	select {
	case <-s.news:
		select {
		case <-time.After(newsPause):
		case <-ctx.Done():
		}
	case <-poll.C:
	case <-ctx.Done():
	}
}

// read reads the next page. While the database can't be reached the page is empty, and is read again.
func (s *stream) read(ctx context.Context) error {
	select {
	case s.streams.reading <- struct{}{}:
		defer func() { <-s.streams.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.news, s.query.After = s.streams.changes.News(), s.page.Next
	page, err := s.feed.Page(ctx, s.query)
	switch {
	case err == nil:
		s.page = page
	case problem.Is(err, problem.DatabaseUnavailable):
		s.page.Events, s.page.More = nil, false
	default:
		return err
	}
	return nil
}

// keyIsValid reports whether the API key is still valid and may read, and the tenant isn't suspended, as far as can be
// known: it asks now and then, and the database may be away.
func (s *stream) keyIsValid(ctx context.Context) bool {
	if time.Since(s.checkedAt) < s.streams.limits.CheckKey {
		return true
	}
	s.checkedAt = time.Now()
	t, err := s.client.Authenticate(ctx)
	if err != nil {
		return problem.Is(err, problem.DatabaseUnavailable)
	}
	return t.Scopes.Has(operation.ScopeRead)
}

// write sends the page's events, or a heartbeat if it is time for one. A heartbeat has the cursor up to which the feed
// was read, so that a client whose filters let little pass doesn't fall behind. It reports whether the client may still
// be there.
func (s *stream) write() bool {
	limits := s.streams.limits
	var b bytes.Buffer
	for _, e := range s.page.Events {
		data, err := json.Marshal(s.feed.Body(e))
		if err != nil {
			panic(err) // what is stored is JSON
		}
		_, _ = fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n\n", e.Cursor, e.Type, data)
	}
	if b.Len() == 0 {
		if time.Since(s.wroteAt) < limits.Heartbeat {
			return true
		}
		_, _ = fmt.Fprintf(&b, ":\nid: %s\n\n", s.page.Next)
	}
	s.wroteAt = time.Now()
	client := http.NewResponseController(s.c.Writer)
	if client.SetWriteDeadline(time.Now().Add(limits.WriteTimeout)) != nil {
		return false
	}
	_, err := s.c.Writer.Write(b.Bytes())
	return err == nil && client.Flush() == nil
}

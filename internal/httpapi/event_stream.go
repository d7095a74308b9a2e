package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
)

const eventStreamType = "text/event-stream"

// readsOfStreams is how many streams read at once, so that connections are left for requests.
const readsOfStreams = 4

// StreamLimits bound the streams of events.
type StreamLimits struct {
	// PerTenant and Total are how many streams may be open. Default 32 of a tenant, 512 in all.
	PerTenant, Total int
	// Life is how long a stream lasts; its client connects again. Default 1 h.
	Life time.Duration
	// Heartbeat is how often a line is sent if nothing happens. Default 15 s.
	Heartbeat time.Duration
	// CheckKey is how long the API key counts as valid before it is checked again. Default 30 s.
	CheckKey time.Duration
	// Poll is how often the feed is read although nobody said that there are new events. Default 2 s.
	Poll time.Duration
	// WriteTimeout is how long a client may take to receive what is sent. Default 10 s.
	WriteTimeout time.Duration
}

func (l StreamLimits) withDefaults() StreamLimits {
	l.PerTenant, l.Total = cmp.Or(l.PerTenant, 32), cmp.Or(l.Total, 512)
	l.Life, l.Heartbeat, l.CheckKey = cmp.Or(l.Life, time.Hour), cmp.Or(l.Heartbeat, 15*time.Second),
		cmp.Or(l.CheckKey, 30*time.Second)
	l.Poll, l.WriteTimeout = cmp.Or(l.Poll, 2*time.Second), cmp.Or(l.WriteTimeout, 10*time.Second)
	return l
}

// newsPause is how long a stream waits after it was told of news: more may follow.
const newsPause = 50 * time.Millisecond

// eventStreams counts the open streams.
type eventStreams struct {
	limits  StreamLimits
	reading chan struct{} // a permit for each read under way

	mu       sync.Mutex
	all      int
	byTenant map[uuid.UUID]int
}

func newEventStreams(l StreamLimits) *eventStreams {
	return &eventStreams{limits: l.withDefaults(), reading: make(chan struct{}, readsOfStreams),
		byTenant: make(map[uuid.UUID]int)}
}

// acquire takes a permit for a stream. Call release when it ends. Errors: problem.Overloaded.
func (s *eventStreams) acquire(tenant uuid.UUID) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.limits.Total || s.byTenant[tenant] >= s.limits.PerTenant {
		return nil, problem.New(problem.Overloaded, "Too many streams of events are open.").Retry(5 * time.Second)
	}
	s.all++
	s.byTenant[tenant]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byTenant[tenant]--; s.byTenant[tenant] == 0 {
			delete(s.byTenant, tenant)
		}
	}, nil
}

// acceptsEventStream reports whether a request prefers server-sent events to JSON. Of the ranges that contain JSON, the
// most specific one counts (RFC 9110, 12.5.1). A range such as */* doesn't ask for a stream.
func acceptsEventStream(h http.Header) bool {
	quality := make(map[string]float64)
	for _, line := range h.Values("Accept") {
		for form := range strings.SplitSeq(line, ",") {
			media, parameters, err := mime.ParseMediaType(form)
			if err != nil {
				continue
			}
			quality[media] = 1
			if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
				quality[media] = q
			}
		}
	}
	for _, media := range []string{"application/json", "application/*", "*/*"} {
		if q, given := quality[media]; given {
			return quality[eventStreamType] > q
		}
	}
	return quality[eventStreamType] > 0
}

// eventStream is one open stream of events. One goroutine uses it.
type eventStream struct {
	api   *API
	call  *call
	query change.Query
	feed  eventFeed
	// news is closed when there may be more events than page has.
	news <-chan struct{}
	page change.Page

	c         *gin.Context
	checkedAt time.Time // when the API key was checked
	wroteAt   time.Time
}

// openEventStream reads the first page of a stream. The stream is sent when the request has left admission: it takes no
// permit, and no connection while it waits.
//
// Errors: problem.Overloaded when there are too many streams; those of change.Service.Page.
func (a *API) openEventStream(ctx context.Context, call *call, q change.Query, feed eventFeed,
) (send func(*gin.Context), err error) {
	release, err := a.streams.acquire(call.tenant.ID)
	if err != nil {
		return nil, err
	}
	s := &eventStream{api: a, call: call, query: q, feed: feed, news: a.Changes.News(), checkedAt: time.Now()}
	if s.page, err = feed.page(ctx, q); err != nil {
		release()
		return nil, err
	}
	return func(c *gin.Context) {
		defer release()
		s.c = c
		s.send()
	}, nil
}

// send sends pages until the client goes, the server drains, the API key is revoked, or the stream's life is over.
// After other errors it ends too: the client gets the error when it connects again.
func (s *eventStream) send() {
	ctx, cancel := context.WithTimeout(s.c.Request.Context(), s.api.streams.limits.Life)
	defer cancel()
	defer context.AfterFunc(s.api.Edge.Draining(), cancel)()
	edge.BeginStream(s.c)
	// The server's time limits are those of requests that are answered at once.
	client := http.NewResponseController(s.c.Writer)
	_ = client.SetReadDeadline(time.Time{})
	// for the end of the response
	defer func() { _ = client.SetWriteDeadline(time.Now().Add(s.api.streams.limits.WriteTimeout)) }()
	s.c.Header("Content-Type", eventStreamType)
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
func (s *eventStream) wait(ctx context.Context) {
	poll := time.NewTimer(s.api.streams.limits.Poll)
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
func (s *eventStream) read(ctx context.Context) error {
	select {
	case s.api.streams.reading <- struct{}{}:
		defer func() { <-s.api.streams.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.news, s.query.After = s.api.Changes.News(), s.page.Next
	page, err := s.feed.page(ctx, s.query)
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
func (s *eventStream) keyIsValid(ctx context.Context) bool {
	if time.Since(s.checkedAt) < s.api.streams.limits.CheckKey {
		return true
	}
	s.checkedAt = time.Now()
	t, err := s.call.authenticate(ctx)
	if err != nil {
		return problem.Is(err, problem.DatabaseUnavailable)
	}
	return t.Scopes.Has(operation.ScopeRead)
}

// write sends the page's events, or a heartbeat if it is time for one. A heartbeat has the cursor up to which the feed
// was read, so that a client whose filters let little pass doesn't fall behind. It reports whether the client may still
// be there.
func (s *eventStream) write() bool {
	limits := s.api.streams.limits
	var b bytes.Buffer
	for _, e := range s.page.Events {
		data, err := json.Marshal(s.feed.body(e))
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

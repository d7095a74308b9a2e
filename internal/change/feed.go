package change

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"holdfast/internal/db"
)

// Latest is the cursor of the feed's end, given in the position of a page's cursor.
const Latest = "latest"

const (
	// maxPageBytes ends a page, whatever its limit, when the data of its events have so many bytes.
	maxPageBytes = 1 << 20
	// rowsAtOnce is how many events are read before it is known how large they are.
	rowsAtOnce = 50
	// readsOfPage is how often a page reads on when few events pass the filter.
	readsOfPage = 8
)

// Service reads the feeds and histories of tenants. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	types []string

	mu   sync.Mutex
	news chan struct{}
}

// NewService returns the feeds and histories of d. types are all types of changes and notices.
func NewService(d *db.DB, types []string) *Service {
	return &Service{db: d, types: types, news: make(chan struct{})}
}

// Query asks for a page of the feed: at most Limit events.
type Query struct {
	// After is the cursor after which the page begins: empty for the oldest event that is kept, Latest for the end.
	After string
	Types TypeFilter
	// Subject lets only events of the subject pass; nil lets all pass.
	Subject *uuid.UUID
	Limit   int
}

// Page is a part of the feed.
type Page struct {
	Events []Event
	// Next is the cursor of the position up to which the feed was read. It is never empty.
	Next string
	// More says that there may be more events already.
	More bool
}

// Event is an event with the cursor after it.
type Event struct {
	EventBody
	TenantID uuid.UUID
	Cursor   string
}

// Page reads a page of a tenant's feed, in bounded time: if few events pass the filter it has fewer than the limit,
// although there are more. Errors: problem.ValidationFailed for a malformed cursor; problem.CursorExpired when events
// after the cursor were deleted, or positions changed since; problem.DatabaseUnavailable.
func (s *Service) Page(ctx context.Context, tenant uuid.UUID, q Query) (Page, error) {
	return page(q, func(q FeedQuery) (FeedPage, error) { return ReadFeed(ctx, s.db, tenant, q) })
}

// PageAcross is Page for the events of all tenants; the query's subject doesn't count. It is for the operator. Cursors
// of the two are alike. Errors: those of Page.
func (s *Service) PageAcross(ctx context.Context, q Query) (Page, error) {
	return page(q, func(q FeedQuery) (FeedPage, error) { return readFeedAcross(ctx, s.db, q) })
}

func page(q Query, readPart func(FeedQuery) (FeedPage, error)) (Page, error) {
	var after *cursor
	if q.After != "" && q.After != Latest {
		c, err := parseCursor(q.After)
		if err != nil {
			return Page{}, err
		}
		after = &c
	}
	var p Page
	bytes, position := 0, Begin()
	if after != nil {
		position = after.at
	}
	for n := range readsOfPage {
		limit := min(q.Limit-len(p.Events), rowsAtOnce)
		if q.After == Latest {
			limit = 0
		}
		read, err := readPart(FeedQuery{After: position, Types: q.Types.patterns, Subject: q.Subject, Limit: limit})
		if err != nil {
			return Page{}, err
		}
		epoch := epochOf(read.Epoch)
		if q.After == Latest {
			return Page{Next: cursor{epoch, read.End}.String()}, nil
		}
		if after != nil {
			if err := after.check(read); err != nil && n > 0 {
				return p, nil // since the read before, events were deleted: the next page is refused
			} else if err != nil {
				return Page{}, err
			}
		}
		for _, c := range read.Changes {
			bytes += len(c.Data)
			p.Events = append(p.Events, Event{EventOf(c), c.TenantID,
				cursor{epoch, Position{TransactionID: c.TransactionID, ChangeID: c.ChangeID}}.String()})
		}
		position, after = read.Next, &cursor{epoch, read.Next}
		p.Next, p.More = after.String(), read.More
		if !p.More || len(p.Events) == q.Limit || bytes >= maxPageBytes {
			break
		}
	}
	return p, nil
}

// News returns a channel that is closed when the feed of some tenant may have new events. Take it before reading a
// page.
func (s *Service) News() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news
}

// Wake closes the channel that News returned. It is a job of the worker, which runs it when a commit says that there
// are new events.
func (s *Service) Wake(context.Context) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.news)
	s.news = make(chan struct{})
	return false, nil
}

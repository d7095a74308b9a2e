package cell

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

const (
	// refreshInterval is how often the copy of the directory is read.
	refreshInterval = time.Second
	// refreshPause is the least time between two reads, however many tenants are unknown.
	refreshPause = 50 * time.Millisecond
	// refreshTimeout bounds one read.
	refreshTimeout = 3 * time.Second
)

// location is where a tenant is, as far as this server knows.
type location struct {
	cell   string
	frozen bool // the tenant is being moved, and its requests wait
}

// Directory is a server's copy of the home cell's directory. It is safe for concurrent use.
type Directory struct {
	log  *slog.Logger
	read func(ctx context.Context, since int64) ([]Entry, int64, error)
	want chan struct{} // somebody waits for a read

	mu      sync.RWMutex
	known   map[uuid.UUID]location
	slugs   map[string]uuid.UUID
	moving  map[uuid.UUID]time.Time // since when tenants are being moved
	next    *refresh                // the one that begins next
	changed chan struct{}
}

// refresh is one read of the directory. done is closed at its end; err is set before.
type refresh struct {
	done chan struct{}
	err  error
}

func newRefresh() *refresh { return &refresh{done: make(chan struct{})} }

// newDirectory returns an empty copy, which Run fills.
func newDirectory(read func(ctx context.Context, since int64) ([]Entry, int64, error), log *slog.Logger) *Directory {
	return &Directory{
		log:     log,
		read:    read,
		want:    make(chan struct{}, 1),
		known:   make(map[uuid.UUID]location),
		slugs:   make(map[string]uuid.UUID),
		moving:  make(map[uuid.UUID]time.Time),
		next:    newRefresh(),
		changed: make(chan struct{}),
	}
}

// Run reads the directory every second, and at once when a tenant is unknown, until ctx ends.
func (d *Directory) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	since := directoryBegin
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-d.want:
		}
		d.mu.Lock()
		running := d.next
		d.next = newRefresh()
		d.mu.Unlock()
		limited, cancel := context.WithTimeout(ctx, refreshTimeout)
		entries, next, err := d.read(limited, since)
		cancel()
		if err == nil {
			since = next
			d.note(entries)
		}
		if failed := err != nil; failed != failing && ctx.Err() == nil {
			failing = failed
			if failed {
				d.log.Warn("the directory of the cells can't be read; new and moved tenants aren't found", "error", err)
			} else {
				d.log.Info("the directory of the cells is read again")
			}
		}
		running.err = err
		close(running.done)
		select {
		case <-ctx.Done():
			return
		case <-time.After(refreshPause):
		}
		timer.Reset(refreshInterval)
	}
}

// note takes over what was read.
func (d *Directory) note(entries []Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	different := false
	for _, e := range entries {
		l := location{cell: e.Cell, frozen: e.Frozen}
		different = different || d.known[e.TenantID] != l
		d.known[e.TenantID], d.slugs[e.Slug] = l, e.TenantID
		delete(d.moving, e.TenantID)
		if e.MoveID != nil {
			d.moving[e.TenantID] = time.Unix(e.MoveID.Time().UnixTime()) // a version 7 id says when it was made
		}
	}
	if different {
		close(d.changed)
		d.changed = make(chan struct{})
	}
}

// learn adds tenants that a cell has and that the directory hasn't told of yet. A tenant that has moved on is refused
// by the cell itself.
func (d *Directory) learn(cell string, tenants []uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range tenants {
		if _, ok := d.known[t]; !ok {
			d.known[t] = location{cell: cell}
		}
	}
}

// find returns where a tenant is. For one that is unknown it waits until the directory was read anew. Errors:
// problem.NotFound; problem.DatabaseUnavailable if the directory can't be read; the context's error.
func (d *Directory) find(ctx context.Context, tenant uuid.UUID) (location, error) {
	if l, ok := d.lookUp(tenant); ok {
		return l, nil
	}
	if err := d.refreshed(ctx); err != nil {
		return location{}, err
	}
	if l, ok := d.lookUp(tenant); ok {
		return l, nil
	}
	return location{}, problem.Missing()
}

// named returns the tenant with an id or a slug. For a name that is unknown it waits until the directory was read anew.
// Errors: those of find.
func (d *Directory) named(ctx context.Context, slugOrID string) (uuid.UUID, error) {
	if id, err := uuid.Parse(slugOrID); err == nil {
		return id, nil
	}
	return d.withSlug(ctx, slugOrID)
}

// withSlug returns the tenant with a slug, as named does.
func (d *Directory) withSlug(ctx context.Context, slug string) (uuid.UUID, error) {
	for again := range 2 {
		d.mu.RLock()
		id, ok := d.slugs[slug]
		d.mu.RUnlock()
		if ok {
			return id, nil
		}
		if again == 0 {
			if err := d.refreshed(ctx); err != nil {
				return uuid.Nil, err
			}
		}
	}
	return uuid.Nil, problem.Missing()
}

func (d *Directory) lookUp(tenant uuid.UUID) (location, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	l, ok := d.known[tenant]
	return l, ok
}

// refreshed returns when a read that began after the call has ended.
func (d *Directory) refreshed(ctx context.Context) error {
	d.mu.RLock()
	r := d.next
	d.mu.RUnlock()
	select {
	case d.want <- struct{}{}:
	default: // a read is wanted already
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.err != nil {
		return problem.Wrap(r.err, problem.DatabaseUnavailable,
			"The directory of the cells can't be read.").Retry(time.Second)
	}
	return nil
}

// thawed waits until a tenant isn't being moved any more, and returns where it is. It returns as the tenant is when ctx
// ends.
func (d *Directory) thawed(ctx context.Context, tenant uuid.UUID) location {
	for {
		d.mu.RLock()
		l, changed := d.known[tenant], d.changed
		d.mu.RUnlock()
		if !l.frozen {
			return l
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return l
		}
	}
}

package cell

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// source is a home cell's directory that a test changes.
type source struct {
	mu      sync.Mutex
	entries []Entry
	err     error
	reads   int
}

func (s *source) read(context.Context, int64) ([]Entry, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return s.entries, 0, s.err
}

func (s *source) set(err error, entries ...Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries, s.err = entries, err
}

func entryOf(tenant uuid.UUID, cell string, frozen bool) Entry {
	return Entry{TenantID: tenant, Slug: tenant.String(), Cell: cell, Frozen: frozen}
}

func runDirectory(t *testing.T, s *source) *Directory {
	t.Helper()
	d := newDirectory(s.read, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return d
}

func TestDirectory_TenantThatIsNew_IsFoundByReadingAnew(t *testing.T) {
	t.Parallel()
	s, tenant := new(source), uuid.New()
	d := runDirectory(t, s)
	_, err := d.find(t.Context(), tenant)
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	s.set(nil, entryOf(tenant, "eu2", false))
	l, err := d.find(t.Context(), tenant)
	require.NoError(t, err)
	require.Equal(t, location{cell: "eu2"}, l)
}

func TestDirectory_ThatCannotBeRead_ServesWhatItKnows(t *testing.T) {
	t.Parallel()
	s, known, unknown := new(source), uuid.New(), uuid.New()
	s.set(nil, entryOf(known, "eu1", false))
	d := runDirectory(t, s)
	_, err := d.find(t.Context(), known)
	require.NoError(t, err)
	s.set(errors.New("the home cell is away"))
	require.Error(t, d.refreshed(t.Context()))
	l, err := d.find(t.Context(), known)
	require.NoError(t, err)
	require.Equal(t, "eu1", l.cell)
	_, err = d.find(t.Context(), unknown)
	require.True(t, problem.Is(err, problem.DatabaseUnavailable),
		"an unknown tenant isn't told that its key is wrong: %v", err)
	d.learn("eu2", []uuid.UUID{unknown, known})
	l, err = d.find(t.Context(), unknown)
	require.NoError(t, err)
	require.Equal(t, "eu2", l.cell)
	l, err = d.find(t.Context(), known)
	require.NoError(t, err)
	require.Equal(t, "eu1", l.cell, "what the directory told counts more than what a cell has")
}

func TestDirectory_FrozenTenant_ThawsInItsNewCell(t *testing.T) {
	t.Parallel()
	s, tenant := new(source), uuid.New()
	s.set(nil, entryOf(tenant, "eu1", true))
	d := runDirectory(t, s)
	l, err := d.find(t.Context(), tenant)
	require.NoError(t, err)
	require.Equal(t, location{cell: "eu1", frozen: true}, l)
	thawed := make(chan location)
	go func() { thawed <- d.thawed(t.Context(), tenant) }()
	require.NoError(t, d.refreshed(t.Context()))
	select {
	case <-thawed:
		require.Fail(t, "it is still frozen")
	default:
	}
	s.set(nil, entryOf(tenant, "eu2", false))
	require.NoError(t, d.refreshed(t.Context()))
	require.Equal(t, location{cell: "eu2"}, <-thawed)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.set(nil, entryOf(tenant, "eu2", true))
	require.NoError(t, d.refreshed(t.Context()))
	require.True(t, d.thawed(ended, tenant).frozen, "a client that goes away isn't waited for")
}

func TestDirectory_SlugThatLooksLikeAnID_IsFoundAsASlug(t *testing.T) {
	t.Parallel()
	s, tenant, slug := new(source), uuid.New(), uuid.NewString()
	s.set(nil, Entry{TenantID: tenant, Slug: slug, Cell: "eu2"})
	d := runDirectory(t, s)
	found, err := d.withSlug(t.Context(), slug)
	require.NoError(t, err)
	require.Equal(t, tenant, found)
	_, err = d.withSlug(t.Context(), tenant.String())
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
}

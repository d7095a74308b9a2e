package edge

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestFailingTenants_NothingButFailures_CountUntilOneRequestSucceeds(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 8, 0, 0, 0, time.UTC)
	var f failingTenants
	down, other := uuid.New(), uuid.New()
	for range failuresInRow - 1 {
		f.note(down, 503, now)
	}
	f.note(down, 404, now)
	f.note(uuid.Nil, 500, now)
	f.note(other, 503, now)
	require.Zero(t, f.count(now))
	f.note(down, 500, now)
	f.note(other, 200, now)
	require.Equal(t, 1, f.count(now))
	f.note(down, 409, now)
	require.Equal(t, 1, f.count(now), "a refusal says nothing")
	require.Zero(t, f.count(now.Add(failingFor+time.Second)), "nobody asks any more")
	for range failuresInRow {
		f.note(down, 503, now)
	}
	require.Equal(t, 1, f.count(now))
	f.note(down, 201, now)
	require.Zero(t, f.count(now))
}

func TestFailingTenants_MoreFailThanAreKnown_ThoseThatAreKnownCount(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 8, 0, 0, 0, time.UTC)
	var f failingTenants
	first := uuid.New()
	f.note(first, 503, now)
	for range maxFailing {
		f.note(uuid.New(), 503, now)
	}
	for range failuresInRow - 1 {
		f.note(first, 503, now)
	}
	require.Equal(t, 1, f.count(now))
	require.Len(t, f.known, maxFailing)
}

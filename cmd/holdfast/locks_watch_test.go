package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/lockview"
)

func TestWatch_OnATerminal_DrawsEachPictureOverTheOneBeforeAndWithinTheScreen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var screen bytes.Buffer
	pictures := []string{"first\nvery long line\nthird\nfourth\n", "second\n"}
	size := func() (int, int, bool) { return 10, 3, true }
	require.NoError(t, watch(ctx, &screen, size, time.Millisecond, func() ([]byte, error) {
		if len(pictures) == 0 {
			cancel()
			return nil, ctx.Err()
		}
		next := pictures[0]
		pictures = pictures[1:]
		return []byte(next), nil
	}))
	require.Equal(t, "\x1b[2J"+
		"\x1b[Hfirst\x1b[K\nvery long…\x1b[K\n\x1b[J"+
		"\x1b[Hsecond\x1b[K\n\x1b[J", screen.String())
}

func TestWatch_AFailure_IsSaidAndTriedAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var output bytes.Buffer
	looks := 0
	require.NoError(t, watch(ctx, &output, nil, time.Millisecond, func() ([]byte, error) {
		if looks++; looks == 1 {
			return nil, errors.New("the database is away")
		}
		cancel()
		return nil, ctx.Err()
	}))
	require.Regexp(t, `^20.* UTC  the database is away\n$`, output.String())
}

func TestTable_ControlCharacters_AreRemoved(t *testing.T) {
	t.Parallel()
	text, err := table(lockview.LocksBody{Locks: []lockview.LockBody{{SubID: 1, ObjectID: 7,
		Holders: []lockview.HolderBody{{
			LockSessionBody: lockview.LockSessionBody{PID: 1, ApplicationName: "a\x1b]0;b",
				Query: "SELECT\n\t1\x1b[2J " +
					strings.Repeat("é", 100)},
			Shared: true,
		}}}}})
	require.NoError(t, err)
	require.NotContains(t, string(text), "\x1b")
	require.Regexp(t, `(?m)^7 \(unknown\) +1 +holds shared +\? +a\?\]0;b +local +SELECT 1\?\[2J é{46}…$`, string(text))
}

package core

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

// lagTest is a lag with a clock that stands still.
type lagTest struct {
	lag

	clock time.Time
}

func newLagTest() *lagTest {
	l := &lagTest{clock: testtime.At(0, 12, 0, time.UTC)}
	l.now = func() time.Time { return l.clock }
	return l
}

func (l *lagTest) pass(d time.Duration) { l.clock = l.clock.Add(d) }

func primaryAt(position int64) dbsqlc.StandbyPrimaryRow {
	return dbsqlc.StandbyPrimaryRow{Position: position, Timeline: 1, System: 7, Place: "holdfast.public"}
}

func standbyAt(position int64) dbsqlc.StandbyPositionRow {
	return dbsqlc.StandbyPositionRow{InRecovery: true, Position: position, Timeline: 1, System: 7,
		Place: "holdfast.public"}
}

func TestLag_StandbyIsAsStaleAsTheLastSampleThatItHasReplayed(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	for _, position := range []int64{100, 100, 200, 300} {
		l.note(l.clock, primaryAt(position))
		l.pass(time.Second)
	}
	for position, seconds := range map[int64]int{100: 3, 199: 3, 200: 2, 300: 1, 1000: 1} {
		at := standbyAt(position)
		require.NoError(t, l.require(at, time.Duration(seconds)*time.Second), "position %d", position)
		require.ErrorIs(t, l.require(at, time.Duration(seconds)*time.Second-1), errTooFarBehind, "position %d",
			position)
		require.NoError(t, l.observe(at))
		require.InDelta(t, seconds, l.seconds(), 0)
	}
	require.ErrorIs(t, l.require(standbyAt(99), time.Hour), errTooFarBehind, "it has replayed no sample")
}

func TestLag_StandbyWasTooFarBehindWhenItWasPolled_IsNotAsked(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	l.note(l.clock, primaryAt(100))
	l.pass(3 * time.Second)
	l.note(l.clock, primaryAt(200))
	require.NoError(t, l.observe(standbyAt(150)))
	require.NoError(t, l.expect(3*time.Second))
	require.ErrorIs(t, l.expect(3*time.Second-1), errTooFarBehind)
	l.pass(time.Hour)
	require.NoError(t, l.expect(3*time.Second), "it may have caught up since: asking it decides")
}

func TestLag_NoSampleYet_StandbyIsNotUsed(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	require.Error(t, l.require(standbyAt(1000), time.Hour))
	require.Error(t, l.observe(standbyAt(1000)))
	require.Error(t, l.expect(time.Hour))
	require.True(t, math.IsInf(l.seconds(), 1))
}

func TestLag_PrimaryIsNotAsked_StandbyGrowsStale(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	l.note(l.clock, primaryAt(100))
	l.pass(2 * time.Second)
	require.NoError(t, l.require(standbyAt(500), 2*time.Second))
	l.pass(time.Millisecond)
	require.ErrorIs(t, l.require(standbyAt(500), 2*time.Second), errTooFarBehind)
}

func TestLag_ServerThatIsNoStandbyOfThePrimary_IsNotUsed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*dbsqlc.StandbyPositionRow)
		err    error
	}{
		"promoted":         {func(p *dbsqlc.StandbyPositionRow) { p.InRecovery = false }, errNotInRecovery},
		"another timeline": {func(p *dbsqlc.StandbyPositionRow) { p.Timeline = 2 }, errOtherHistory},
		"another cluster":  {func(p *dbsqlc.StandbyPositionRow) { p.System = 8 }, errOtherHistory},
		"another schema":   {func(p *dbsqlc.StandbyPositionRow) { p.Place = "holdfast.eu2" }, errOtherHistory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLagTest()
			l.note(l.clock, primaryAt(100))
			at := standbyAt(100)
			require.NoError(t, l.observe(at))
			require.NoError(t, l.require(at, time.Second))
			test.change(&at)
			require.ErrorIs(t, l.require(at, time.Hour), test.err)
			require.ErrorIs(t, l.observe(at), test.err)
			require.Error(t, l.expect(time.Hour))
			require.True(t, math.IsInf(l.seconds(), 1))
		})
	}
}

func TestLag_LogThatGoesBackOrIsAnother_DropsAllSamples(t *testing.T) {
	t.Parallel()
	promoted := primaryAt(300)
	promoted.Timeline = 2
	restored := primaryAt(300)
	restored.System = 8
	for name, next := range map[string]dbsqlc.StandbyPrimaryRow{
		"a smaller position": primaryAt(150), "another timeline": promoted, "another cluster": restored,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLagTest()
			l.note(l.clock, primaryAt(100))
			l.note(l.clock, primaryAt(200))
			require.NoError(t, l.observe(standbyAt(120)))
			l.pass(time.Second)
			l.note(l.clock, next)
			require.Error(t, l.expect(time.Hour), "what the poll before found means nothing any more")
			at := standbyAt(next.Position - 1)
			at.Timeline, at.System = next.Timeline, next.System
			require.ErrorIs(t, l.require(at, time.Hour), errTooFarBehind)
			at.Position++
			require.NoError(t, l.require(at, 0))
		})
	}
}

func TestLag_StandbyFartherBehindThanSamplesAreKept_IsNotUsed(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	for position := range int64(2000) {
		l.note(l.clock, primaryAt(position))
		l.pass(standbyPoll)
	}
	require.LessOrEqual(t, len(l.samples), int(longestLag/standbyPoll)+1)
	require.NoError(t, l.require(standbyAt(1400), time.Hour))
	require.ErrorIs(t, l.require(standbyAt(1390), time.Hour), errTooFarBehind)
}

func TestLag_StandbyThatDoesNotAnswer_IsNotAskedUntilItIsPolled(t *testing.T) {
	t.Parallel()
	l := newLagTest()
	l.note(l.clock, primaryAt(100))
	require.NoError(t, l.observe(standbyAt(100)))
	require.NoError(t, l.expect(time.Second))
	l.forget()
	require.Error(t, l.expect(time.Hour))
	require.NoError(t, l.observe(standbyAt(100)))
	require.NoError(t, l.expect(time.Second))
}

// An idle primary must not look as if its standby lacked something.
func TestStandbyPrimary_LogEndsWithAPage_IsWhereTheStandbyIs(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.OtherCluster(t))
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	position := func() int64 {
		row, err := dbsqlc.New(conn).StandbyPrimary(t.Context())
		require.NoError(t, err)
		return row.Position
	}
	emit := func(bytes int64) int64 {
		_, err := conn.Exec(t.Context(), "SELECT pg_logical_emit_message(false, '', repeat('x', $1::int))", bytes)
		require.NoError(t, err)
		return position()
	}
	const page, segment, body = 8 << 10, 16 << 20, 1024
	for ended := false; !ended; ended = position()%segment == 0 { // the server may write a record of its own in between
		_, err = conn.Exec(t.Context(), "SELECT pg_switch_wal()")
		require.NoError(t, err)
	}
	for ended := false; !ended; {
		before := emit(body)
		after := emit(body)
		overhead := after - before - body
		if left := page - after%page; left > overhead+body {
			ended = emit(left-overhead)%page == 0
		}
	}
}

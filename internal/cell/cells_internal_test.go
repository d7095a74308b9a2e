package cell

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// A health check gives up after some seconds. A cell whose database doesn't answer must not use them up.
func TestReady_CellThatDoesNotAnswer_IsGivenUpAndNamed(t *testing.T) {
	t.Parallel()
	c := New([]string{"eu1", "eu2", "eu3"}, slog.New(slog.DiscardHandler))
	hangs := true
	state := func(name string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			until, ok := ctx.Deadline()
			require.True(t, ok)
			require.LessOrEqual(t, time.Until(until), readyTimeout) //nolint:forbidigo // a deadline is of this clock
			if name == "eu2" && hangs {
				return "", context.DeadlineExceeded
			}
			return "waits for the disk", nil
		}
	}
	for _, name := range []string{"eu1", "eu2"} {
		c.byName[name].open.Store(&opened{ready: state(name)})
		c.byName[name].tried.Store(true)
	}
	_, err := c.Ready(t.Context())
	require.ErrorContains(t, err, "The server is opening the cell eu3.",
		"a server that starts waits until it has tried each cell")
	c.NotOpened("eu3")
	commits, err := c.Ready(t.Context())
	require.NoError(t, err)
	require.Equal(t, "eu1: waits for the disk", commits)
	require.Equal(t, "These cells don't serve: eu2, eu3. Their tenants get 503.", c.Warning())

	hangs = false
	_, err = c.Ready(t.Context())
	require.NoError(t, err)
	require.Equal(t, "These cells don't serve: eu3. Their tenants get 503.", c.Warning())
	_, err = c.ReadyIn(t.Context(), "eu3")
	require.True(t, problem.Is(err, problem.DatabaseUnavailable), err)
}

func TestRouter_DirectoryThatCannotBeRead_RefusesTheOperatorWhoNamesATenant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asEU2 := func() string { return b.send("GET", "/v1/bookings", "", "Holdfast-Tenant", "slug-eu2").Body.String() }
	require.Equal(t, "eu2 /v1/bookings ", asEU2())
	b.directory.set(errors.New("the home cell is away"))
	require.Equal(t, "database_unavailable",
		codeOf(t, b.send("GET", "/v1/bookings", "", "Holdfast-Tenant", "slug-eu3")))
	require.Equal(t, "eu2 /v1/bookings ", asEU2(), "it is known")
}

func TestCells_MoveThatIsNotFinished_IsToldOf(t *testing.T) {
	t.Parallel()
	c := New([]string{"eu1", "eu2"}, slog.New(slog.DiscardHandler))
	registry := prometheus.NewRegistry()
	RegisterMetrics(registry, c)
	tenant, to, move := uuid.New(), "eu2", uuid.Must(uuid.NewV7())
	entry := entryOf(tenant, "eu1", true)
	entry.MovingTo, entry.MoveID = &to, &move
	c.directory.note([]Entry{entry})
	began := time.Unix(move.Time().UnixTime())
	m := c.directory.moves(began.Add(2 * time.Minute))
	require.Equal(t, Moves{HeldBack: 1, Oldest: 2 * time.Minute}, m)
	require.Empty(t, c.Warning(), "it has just begun")

	// A version 7 id begins with the milliseconds of its making.
	old := uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")
	entry.MoveID = &old
	c.directory.note([]Entry{entry})
	require.Regexp(t, `^A move of a tenant began \S+ ago and isn't finished; tenants whose requests are held back: 1\.`,
		c.Warning())
	found := map[string]float64{}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			name := f.GetName()
			for _, label := range metric.GetLabel() {
				name += " " + label.GetValue()
			}
			found[name] = metric.GetGauge().GetValue()
		}
	}
	require.InDelta(t, 1, found["holdfast_tenants_moving held_back"], 0)
	require.InDelta(t, 0, found["holdfast_tenants_moving served"], 0)
	require.Greater(t, found["holdfast_tenant_move_age_seconds"], 3600.0)

	c.directory.note([]Entry{entryOf(tenant, "eu2", false)})
	require.Empty(t, c.Warning())
	require.Equal(t, Moves{}, c.directory.moves(began))
}

package cell

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

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
	}
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
	require.Equal(t, "database_unavailable", codeOf(t, b.send("GET", "/v1/bookings", "", "Holdfast-Tenant", "slug-eu3")))
	require.Equal(t, "eu2 /v1/bookings ", asEU2(), "it is known")
}

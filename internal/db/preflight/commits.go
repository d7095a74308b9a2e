package preflight

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

const (
	// readyTimeout bounds a call of Ready.
	readyTimeout = 3 * time.Second
	// longCommit is how long a COMMIT may wait for a standby until commits count as stuck.
	longCommit = 3 * time.Second
)

// Ready reports whether the database answers and commits don't wait for a standby that is away. It returns what a
// commit waits for, in words. Errors: problem.DatabaseUnavailable.
func Ready(ctx context.Context, d *db.DB) (commits string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	row, err := core.Of(d.Core()).Queries().PreflightCommits(ctx)
	if err != nil {
		return "", core.Unavailable(err)
	}
	state := commitState(row)
	if reason := state.stuck(); reason != "" {
		return "", problem.New(problem.DatabaseUnavailable,
			"Commits wait for a standby of the database: "+reason+".").Retry(time.Second)
	}
	return state.promise(), nil
}

// commits reads what a COMMIT waits for.
func (p *probe) commits(ctx context.Context) (string, error) {
	var state commitState
	err := core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) error {
		row, err := dbsqlc.New(conns[0]).PreflightCommits(ctx)
		state = commitState(row)
		return err
	})
	if err != nil {
		return "", err
	}
	if reason := state.stuck(); reason != "" {
		return "", &failedCheck{
			meaning: fmt.Sprintf("commits wait for a standby: %s. %s", reason, state.promise()),
			advice: "start the standby; without one, as a superuser: ALTER SYSTEM SET synchronous_standby_names = '', then SELECT " +
				"pg_reload_conf()",
		}
	}
	return state.promise(), nil
}

// commitState is what a COMMIT waits for, and which sessions wait for a standby now.
type commitState dbsqlc.PreflightCommitsRow

// synchronous reports whether a COMMIT waits for a standby.
func (c commitState) synchronous() bool {
	return c.StandbyNames != "" && c.SynchronousCommit != "off" && c.SynchronousCommit != "local"
}

// stuck returns why commits wait without an end in sight, "" if they don't.
func (c commitState) stuck() string {
	longest := time.Duration(c.Longest * float64(time.Second))
	switch {
	case longest > longCommit:
		return fmt.Sprintf("%d sessions wait, the first one for %s", c.Waiting, longest.Truncate(time.Second))
	case c.synchronous() && c.Standbys == 0:
		return "none is attached"
	case c.synchronous() && c.Hidden == 0 && c.Synchronous == 0:
		return fmt.Sprintf("none of those attached (%d) is synchronous", c.Standbys)
	}
	return ""
}

// promise says when a COMMIT is answered.
func (c commitState) promise() string {
	if c.SynchronousCommit == "off" {
		return "a COMMIT waits for nothing: a crash loses the last ones"
	}
	if !c.synchronous() {
		return fmt.Sprintf("a COMMIT waits for the disk of this server (synchronous_commit is %s)", c.SynchronousCommit)
	}
	states := fmt.Sprintf("synchronous now: %d", c.Synchronous)
	if c.Hidden > 0 {
		states = "their states need the role pg_read_all_stats"
	}
	return fmt.Sprintf("a COMMIT waits for the disk and for synchronous standbys (synchronous_commit is %s, synchronous_standby_names "+
		"is %s); attached: %d, %s",
		c.SynchronousCommit, c.StandbyNames, c.Standbys, states)
}

package preflight

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

const (
	// catchUp is how long the check waits for the standby to replay what the primary had when the check began.
	catchUp     = 5 * time.Second
	catchUpPoll = 50 * time.Millisecond
)

// readsFromStandby checks that the standby can serve reads: that it is in recovery, of the same cluster, database,
// schema and timeline, that its login may become the role that reads tenants' rows, and that it has the tables of the
// primary because it catches up.
func (p *probe) readsFromStandby(ctx context.Context) (string, error) {
	var end dbsqlc.StandbyPrimaryRow
	err := core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) (err error) {
		end, err = dbsqlc.New(conns[0]).StandbyPrimary(ctx)
		return err
	})
	if err != nil {
		return "", &failedCheck{meaning: "the primary's position in its log can't be read", cause: err}
	}
	var took time.Duration
	err = core.WithConns(ctx, p.standby, 1, func(conns []*pgx.Conn) (err error) {
		q := dbsqlc.New(conns[0])
		if member, err := q.PreflightAppRole(ctx); err != nil || !member {
			return &failedCheck{"its login can't become the role holdfast_app",
				"use the login of HOLDFAST_DATABASE_URL", err}
		}
		took, err = awaitStandby(ctx, q, end)
		return err
	})
	var failed *failedCheck
	switch {
	case err == nil:
		return fmt.Sprintf("it had all that the primary had within %s", took.Round(time.Millisecond)), nil
	case errors.As(err, &failed):
		return "", err
	}
	return "", &failedCheck{"the standby can't be used: the primary serves all reads",
		"check HOLDFAST_STANDBY_URL, and that the standby runs and lets the login in", err}
}

// awaitStandby returns how long a standby took to reach a position of its primary.
func awaitStandby(ctx context.Context, q *dbsqlc.Queries, end dbsqlc.StandbyPrimaryRow) (time.Duration, error) {
	for start := time.Now(); ; time.Sleep(catchUpPoll) {
		at, err := q.StandbyPosition(ctx)
		switch {
		case err != nil:
			return 0, err
		case !at.InRecovery:
			return 0, &failedCheck{meaning: "it isn't a standby: it was promoted, or never was one",
				advice: "let HOLDFAST_STANDBY_URL name one"}
		case at.System != end.System || at.Place != end.Place:
			return 0, &failedCheck{
				meaning: fmt.Sprintf("it isn't a standby of this database: it has %s of the cluster %d, the primary %s of %d",
					at.Place, at.System, end.Place, end.System),
				advice: "let HOLDFAST_STANDBY_URL name the same database and search_path as HOLDFAST_DATABASE_URL",
			}
		case at.Timeline != end.Timeline:
			return 0, &failedCheck{
				meaning: fmt.Sprintf("its control file has the timeline %d, the primary is on %d", at.Timeline,
					end.Timeline),
				advice: "after a failover wait for its next restartpoint, or run CHECKPOINT on it; " +
					"otherwise it follows another primary",
			}
		case at.Position >= end.Position:
			return time.Since(start), nil
		case time.Since(start) > catchUp:
			return 0, &failedCheck{
				meaning: fmt.Sprintf("it is %d bytes of the log behind, and doesn't catch up within %s",
					end.Position-at.Position, catchUp),
				advice: "see docs/standby.md",
			}
		}
	}
}

package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// Move is one move of a tenant. A move that was aborted can't be begun again: the next try has another id.
type Move struct {
	ID     uuid.UUID
	Tenant uuid.UUID
	// FromCell is the name of the source, ToCell that of the target.
	FromCell, ToCell string
}

// State says how far a move is.
type State string

// The states of a move in its source.
const (
	Draining State = "draining" // workers claim no events; requests are served
	Moving   State = "moving"   // workers claim no events, and requests are refused
	Moved    State = "moved"    // the tenant is in the target
)

// Progress is a move as its source knows it, which has no name for itself: FromCell is empty.
type Progress struct {
	Move

	State State
	// StartedAt, FrozenAt and FinishedAt are by the database's clock. FrozenAt is when Freeze was through,
	// FinishedAt when Finish was.
	StartedAt            time.Time
	FrozenAt, FinishedAt *time.Time
}

const (
	arrived = "arrived" // the tenant was handed over
	refused = "refused" // it can't be handed over any more
)

// asOwner runs work in a transaction of one tenant as the login itself, which sees the rows of the tenant also while it
// moves: see core.DB.AsOwner.
func asOwner(ctx context.Context, d *db.DB, doing string, tenant uuid.UUID, snapshot bool,
	work func(tx pgx.Tx) error,
) error {
	return core.Of(d.Core()).AsOwner(ctx, doing, tenant, snapshot, work)
}

// Find returns the move of a tenant that is leaving a database or has left it, and nil if there is none. Errors:
// problem.DatabaseUnavailable.
func Find(ctx context.Context, d *db.DB, tenant uuid.UUID) (m *Progress, err error) {
	err = asOwner(ctx, d, "read a move", tenant, true, func(tx pgx.Tx) error {
		m, err = moveOf(ctx, dbsqlc.New(tx), tenant)
		return err
	})
	return m, err
}

// moveOf returns the move of a tenant, nil if there is none.
func moveOf(ctx context.Context, q *dbsqlc.Queries, tenant uuid.UUID) (found *Progress, err error) {
	row, err := q.MoveGet(ctx, tenant)
	switch {
	case err == nil:
		found = &Progress{
			Move: Move{ID: row.MoveID, Tenant: row.TenantID, ToCell: row.ToCell}, State: State(row.State),
			StartedAt: row.StartedAt, FrozenAt: row.FrozenAt, FinishedAt: row.FinishedAt,
		}
	case errors.Is(err, pgx.ErrNoRows):
		err = nil
	}
	return found, err
}

// Arrived reports whether a tenant was handed over to the database d by a move. It waits until a synchronous standby
// has its rows. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func Arrived(ctx context.Context, d *db.DB, m Move) (yes bool, err error) {
	err = asOwner(ctx, d, "read an arrival", m.Tenant, false, func(tx pgx.Tx) error {
		state, err := arrivalOf(ctx, dbsqlc.New(tx), m)
		yes = state == arrived
		return err
	})
	return yes, err
}

// arrivalOf returns what became of a move in its target, "" if nothing did yet.
func arrivalOf(ctx context.Context, q *dbsqlc.Queries, m Move) (string, error) {
	state, err := q.MoveArrivalGet(ctx, m.Tenant, m.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return state, err
}

// Begin begins to move a tenant away from the database d: workers claim no more of its events. It returns once no
// worker holds one, which takes until the work is done or its lease ends. Requests of the tenant are served meanwhile.
// It does nothing if the move is further on.
//
// Errors: problem.NotFound for a tenant that isn't here; problem.InvalidState if another move of it is under way;
// problem.TenantMoved; problem.DatabaseUnavailable; problem.OutcomeUnknown; the context's, after which the tenant is
// draining.
func Begin(ctx context.Context, d *db.DB, m Move) error {
	current, err := changeMove(ctx, d, "begin a move", m, func(q *dbsqlc.Queries) error {
		switch exists, err := q.MoveTenantExists(ctx, m.Tenant); {
		case err != nil:
			return err
		case !exists:
			return problem.Missing()
		}
		return q.MoveInsert(ctx, dbsqlc.MoveInsertParams{TenantID: m.Tenant, MoveID: m.ID, ToCell: m.ToCell})
	})
	if err != nil || current.State != Draining {
		return err
	}
	// A claim that began before the commit may have seen no move.
	if err := waitForTransactions(ctx, d); err != nil {
		return err
	}
	return waitForEvents(ctx, d, m.Tenant)
}

// Freeze has each transaction of the tenant that begins from now on see and write nothing, and waits until those
// that began before have ended, whatever they are: of the tenant or of others, of this program or not. Then it waits
// until the relay has passed the tenant's last change, so that the deliveries that follow from it are planned; relay
// relays the next changes of all tenants, and is called until then. Requests get problem.TenantMoving from the first
// commit on, so ctx should have an end; after it, Abort lets the tenant go on.
//
// Errors: problem.InvalidState if the move wasn't begun; those of relay and of Begin.
func Freeze(ctx context.Context, d *db.DB, m Move, relay func(context.Context) error) error {
	current, err := changeMove(ctx, d, "freeze a tenant", m, func(q *dbsqlc.Queries) error {
		return q.MoveFreeze(ctx, m.Tenant, m.ID)
	})
	if err != nil || current.FrozenAt != nil {
		return err
	}
	if err := waitForTransactions(ctx, d); err != nil {
		return err
	}
	if err := waitForEvents(ctx, d, m.Tenant); err != nil {
		return err
	}
	if err := waitForRelay(ctx, d, m.Tenant, relay); err != nil {
		return err
	}
	_, err = changeMove(ctx, d, "freeze a tenant", m, func(q *dbsqlc.Queries) error {
		return q.MoveFrozen(ctx, m.Tenant, m.ID)
	})
	return err
}

// Finish says in the source that the tenant is in the target, once it was handed over.
//
// Errors: problem.InvalidState if it wasn't; problem.DatabaseUnavailable; problem.OutcomeUnknown.
func Finish(ctx context.Context, from, to *db.DB, m Move) error {
	switch yes, err := Arrived(ctx, to, m); {
	case err != nil:
		return err
	case !yes:
		return problem.New(problem.InvalidState, "The tenant hasn't arrived in the target.")
	}
	current, err := changeMove(ctx, from, "finish a move", m, func(q *dbsqlc.Queries) error {
		return q.MoveFinish(ctx, m.Tenant, m.ID)
	})
	if err == nil && current.State != Moved {
		err = fmt.Errorf("finish a move: it is %s", current.State)
	}
	return err
}

// Abort ends a move that wasn't handed over, and lets the tenant go on in the source. It first has the target
// refuse the move; it waits there for a hand-over that is under way. While the tenant is only draining, the target
// isn't asked. What was copied stays in the target until DeleteLeft.
//
// Errors: problem.InvalidState if the tenant was handed over: finish the move; problem.DatabaseUnavailable, also of the
// target, after which the move goes on; problem.OutcomeUnknown.
func Abort(ctx context.Context, from, to *db.DB, m Move) error {
	end := func(states ...State) (ended bool, err error) {
		err = asOwner(ctx, from, "abort a move", m.Tenant, false, func(tx pgx.Tx) error {
			n, err := dbsqlc.New(tx).MoveDelete(ctx, dbsqlc.MoveDeleteParams{
				TenantID: m.Tenant, MoveID: m.ID, States: db.Convert(states, func(s State) string { return string(s) }),
			})
			ended = n > 0
			return err
		})
		return ended, err
	}
	if ended, err := end(Draining); err != nil || ended {
		return err // only a tenant that is moving is handed over
	}
	err := asOwner(ctx, to, "refuse a move", m.Tenant, false, func(tx pgx.Tx) error {
		state, err := recordArrival(ctx, dbsqlc.New(tx), m, refused)
		if err == nil && state == arrived {
			return problem.New(problem.InvalidState, "The tenant has arrived in the target.")
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = end(Draining, Moving)
	return err
}

// recordArrival records what becomes of a move to its target, unless that is recorded already, and returns what is
// recorded. It waits for another transaction that records it.
func recordArrival(ctx context.Context, q *dbsqlc.Queries, m Move, state string) (recorded string, err error) {
	n, err := q.MoveArrivalInsert(ctx, dbsqlc.MoveArrivalInsertParams{TenantID: m.Tenant, MoveID: m.ID, State: state})
	if err != nil || n > 0 {
		return state, err
	}
	return arrivalOf(ctx, q, m)
}

// changeMove changes the state of a move in its source and returns the move as it is then. Errors: problem.InvalidState
// if there is no such move, or another one of the tenant; problem.TenantMoved if the tenant went with another move.
func changeMove(ctx context.Context, d *db.DB, doing string, m Move,
	change func(*dbsqlc.Queries) error,
) (current Progress, err error) {
	err = asOwner(ctx, d, doing, m.Tenant, false, func(tx pgx.Tx) error {
		q := dbsqlc.New(tx)
		if err := change(q); err != nil {
			return err
		}
		found, err := moveOf(ctx, q, m.Tenant)
		switch {
		case err != nil:
			return err
		case found == nil:
			return problem.New(problem.InvalidState, "There is no such move of the tenant.")
		case found.ID == m.ID:
			current = *found
			return nil
		case found.State == Moved:
			return problem.Wrap(&core.MovedError{Cell: found.ToCell}, problem.TenantMoved,
				"The tenant has moved away.").
				Retry(time.Second)
		}
		return problem.New(problem.InvalidState, "Another move of the tenant is under way.")
	})
	return current, err
}

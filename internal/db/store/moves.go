package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// A tenant moves from one cell to another in these steps. Each can be repeated after a crash, and by another process:
//
//	CompareCells  can a tenant move between them?
//	CopyAhead     all rows, in many transactions of the target, which takes the tenant to be elsewhere; workers and requests go on
//	BeginMove     in the source: workers claim no more events of the tenant, and those that are under way end; requests go on
//	FreezeTenant  in the source: requests get problem.TenantMoving, and those that are under way end
//	HandOver      what came since, in one transaction of the target. Its commit is the moment of the move: the target serves the tenant
//	FinishMove    in the source: requests get problem.TenantMoved
//	DeleteMoved   in the source: the rows are deleted, a batch at a time
//
// AbortMove ends a move before it is handed over. The state is in the databases themselves, and every transaction of
// the tenant reads it there in its first statement: see SessionBegin. So a process that takes the tenant to be
// elsewhere harms nobody. See docs/adr/0038-moving-a-tenant.md.

// Move is one move of a tenant. A move that was aborted can't be begun again: the next try has another id.
type Move struct {
	ID     uuid.UUID
	Tenant uuid.UUID
	// FromCell is the name of the source, ToCell that of the target.
	FromCell, ToCell string
}

// MoveState says how far a move is.
type MoveState string

// The states of a move in its source.
const (
	MoveDraining MoveState = "draining" // workers claim no events; requests are served
	MoveMoving   MoveState = "moving"   // workers claim no events, and requests are refused
	MoveMoved    MoveState = "moved"    // the tenant is in the target
)

// TenantMove is a move as its source knows it, which has no name for itself: FromCell is empty.
type TenantMove struct {
	Move

	State MoveState
	// StartedAt, FrozenAt and FinishedAt are by the database's clock. FrozenAt is when FreezeTenant was through,
	// FinishedAt when FinishMove was.
	StartedAt            time.Time
	FrozenAt, FinishedAt *time.Time
}

// MovedError says to which cell a tenant has moved. It is the cause of problem.TenantMoved.
type MovedError = core.MovedError

const (
	arrived = "arrived" // the tenant was handed over
	refused = "refused" // it can't be handed over any more
)

// MoveOf returns the move of a tenant that is leaving this database or has left it, and nil if there is none. Errors:
// problem.DatabaseUnavailable.
func (s *Store) MoveOf(ctx context.Context, tenant uuid.UUID) (m *TenantMove, err error) {
	err = s.db.AsOwner(ctx, "read a move", tenant, true, func(tx pgx.Tx) error {
		m, err = moveOf(ctx, dbsqlc.New(tx), tenant)
		return err
	})
	return m, err
}

func moveOf(ctx context.Context, q *dbsqlc.Queries, tenant uuid.UUID) (*TenantMove, error) {
	row, err := q.MoveGet(ctx, tenant)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // there is none
	}
	return &TenantMove{
		Move: Move{ID: row.MoveID, Tenant: row.TenantID, ToCell: row.ToCell}, State: MoveState(row.State),
		StartedAt: row.StartedAt, FrozenAt: row.FrozenAt, FinishedAt: row.FinishedAt,
	}, err
}

// MoveArrived reports whether a tenant was handed over to this database by a move. It waits until a synchronous standby
// has its rows. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Store) MoveArrived(ctx context.Context, m Move) (yes bool, err error) {
	err = s.db.AsOwner(ctx, "read an arrival", m.Tenant, false, func(tx pgx.Tx) error {
		state, err := arrivalOf(ctx, dbsqlc.New(tx), m)
		yes = state == arrived
		return err
	})
	return yes, err
}

// arrivalOf returns what became of a move to this database, "" if nothing did yet.
func arrivalOf(ctx context.Context, q *dbsqlc.Queries, m Move) (string, error) {
	state, err := q.MoveArrivalGet(ctx, m.Tenant, m.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return state, err
}

// BeginMove begins to move a tenant away from this database: workers claim no more of its events. It returns once no
// worker holds one, which takes until the work is done or its lease ends. Requests of the tenant are served meanwhile.
// It does nothing if the move is further on.
//
// Errors: problem.NotFound for a tenant that isn't here; problem.InvalidState if another move of it is under way;
// problem.TenantMoved; problem.DatabaseUnavailable; problem.OutcomeUnknown; the context's, after which the tenant is
// draining.
func (s *Store) BeginMove(ctx context.Context, m Move) error {
	current, err := s.changeMove(ctx, "begin a move", m, func(q *dbsqlc.Queries) error {
		switch exists, err := q.MoveTenantExists(ctx, m.Tenant); {
		case err != nil:
			return err
		case !exists:
			return problem.Missing()
		}
		return q.MoveInsert(ctx, dbsqlc.MoveInsertParams{TenantID: m.Tenant, MoveID: m.ID, ToCell: m.ToCell})
	})
	if err != nil || current.State != MoveDraining {
		return err
	}
	// A claim that began before the commit may have seen no move.
	if err := s.waitForTransactions(ctx); err != nil {
		return err
	}
	return s.waitForEvents(ctx, m.Tenant)
}

// FreezeTenant has each transaction of the tenant that begins from now on see and write nothing, and waits until those
// that began before have ended, whatever they are: of the tenant or of others, of this program or not. Then it waits
// until the relay has passed the tenant's last change, so that the deliveries that follow from it are planned; relay
// relays the next changes of all tenants, and is called until then. Requests get problem.TenantMoving from the first
// commit on, so ctx should have an end; after it, AbortMove lets the tenant go on.
//
// Errors: problem.InvalidState if the move wasn't begun; those of relay and of BeginMove.
func (s *Store) FreezeTenant(ctx context.Context, m Move, relay func(context.Context) error) error {
	current, err := s.changeMove(ctx, "freeze a tenant", m, func(q *dbsqlc.Queries) error {
		return q.MoveFreeze(ctx, m.Tenant, m.ID)
	})
	if err != nil || current.FrozenAt != nil {
		return err
	}
	if err := s.waitForTransactions(ctx); err != nil {
		return err
	}
	if err := s.waitForEvents(ctx, m.Tenant); err != nil {
		return err
	}
	if err := s.waitForRelay(ctx, m.Tenant, relay); err != nil {
		return err
	}
	_, err = s.changeMove(ctx, "freeze a tenant", m, func(q *dbsqlc.Queries) error { return q.MoveFrozen(ctx, m.Tenant, m.ID) })
	return err
}

// FinishMove says in the source that the tenant is in the target, once it was handed over.
//
// Errors: problem.InvalidState if it wasn't; problem.DatabaseUnavailable; problem.OutcomeUnknown.
func FinishMove(ctx context.Context, from, to *Store, m Move) error {
	switch yes, err := to.MoveArrived(ctx, m); {
	case err != nil:
		return err
	case !yes:
		return problem.New(problem.InvalidState, "The tenant hasn't arrived in the target.")
	}
	current, err := from.changeMove(ctx, "finish a move", m, func(q *dbsqlc.Queries) error { return q.MoveFinish(ctx, m.Tenant, m.ID) })
	if err == nil && current.State != MoveMoved {
		err = fmt.Errorf("finish a move: it is %s", current.State)
	}
	return err
}

// AbortMove ends a move that wasn't handed over, and lets the tenant go on in the source. It first has the target
// refuse the move; it waits there for a hand-over that is under way. While the tenant is only draining, the target
// isn't asked. What was copied stays in the target until DeleteMoved.
//
// Errors: problem.InvalidState if the tenant was handed over: finish the move; problem.DatabaseUnavailable, also of the
// target, after which the move goes on; problem.OutcomeUnknown.
func AbortMove(ctx context.Context, from, to *Store, m Move) error {
	end := func(states ...MoveState) (ended bool, err error) {
		err = from.db.AsOwner(ctx, "abort a move", m.Tenant, false, func(tx pgx.Tx) error {
			n, err := dbsqlc.New(tx).MoveDelete(ctx, dbsqlc.MoveDeleteParams{
				TenantID: m.Tenant, MoveID: m.ID, States: convert(states, func(s MoveState) string { return string(s) }),
			})
			ended = n > 0
			return err
		})
		return ended, err
	}
	if ended, err := end(MoveDraining); err != nil || ended {
		return err // only a tenant that is moving is handed over
	}
	err := to.db.AsOwner(ctx, "refuse a move", m.Tenant, false, func(tx pgx.Tx) error {
		state, err := recordArrival(ctx, dbsqlc.New(tx), m, refused)
		if err == nil && state == arrived {
			return problem.New(problem.InvalidState, "The tenant has arrived in the target.")
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = end(MoveDraining, MoveMoving)
	return err
}

// recordArrival records what becomes of a move to this database, unless that is recorded already, and returns what is recorded. It waits
// for another transaction that records it.
func recordArrival(ctx context.Context, q *dbsqlc.Queries, m Move, state string) (recorded string, err error) {
	n, err := q.MoveArrivalInsert(ctx, dbsqlc.MoveArrivalInsertParams{TenantID: m.Tenant, MoveID: m.ID, State: state})
	if err != nil || n > 0 {
		return state, err
	}
	return arrivalOf(ctx, q, m)
}

// changeMove changes the state of a move in its source and returns the move as it is then. Errors: problem.InvalidState
// if there is no such move, or another one of the tenant; problem.TenantMoved if the tenant went with another move.
func (s *Store) changeMove(ctx context.Context, doing string, m Move, change func(*dbsqlc.Queries) error) (current TenantMove, err error) {
	err = s.db.AsOwner(ctx, doing, m.Tenant, false, func(tx pgx.Tx) error {
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
		case found.State == MoveMoved:
			return problem.Wrap(&MovedError{Cell: found.ToCell}, problem.TenantMoved, "The tenant has moved away.").Retry(time.Second)
		}
		return problem.New(problem.InvalidState, "Another move of the tenant is under way.")
	})
	return current, err
}

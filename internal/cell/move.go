package cell

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/db/move"
	"holdfast/internal/event"
	"holdfast/internal/problem"
)

const (
	// noticeTime is how long after a tenant was frozen in the directory its requests are still let through: by then
	// servers hold them back, so that few are refused.
	noticeTime = refreshInterval + 500*time.Millisecond
	// drainTime bounds the wait for workers that hold events of the tenant. A payment's resolution may be held for
	// longest: for three times HOLDFAST_PROVIDER_TIMEOUT, which is at most a minute, and 15 s.
	drainTime = 4 * time.Minute
	// freezeTime bounds the wait for transactions that had begun. No transaction of a server takes longer, but a
	// pg_dump does.
	freezeTime = 30 * time.Second
	// abortTime bounds the end of a move that failed.
	abortTime = 30 * time.Second
	// relayedAtOnce is how many changes of all tenants the relay passes at once, while a tenant waits for it.
	relayedAtOnce = 500
	// deleteBatch is how many rows that a tenant left are deleted in one transaction.
	deleteBatch = 1000
)

// Mover moves tenants between cells. It works beside running servers.
type Mover struct {
	// Cells are the names of the cells, the home cell first, and Stores their databases.
	Cells     []string
	Databases map[string]*db.DB
	Log       *slog.Logger
}

func (m *Mover) home() *db.DB { return m.Databases[m.Cells[0]] }

// Tenant returns the directory's entry of the tenant with a slug or id. Errors: one that says that there is none;
// problem.DatabaseUnavailable.
func (m *Mover) Tenant(ctx context.Context, slugOrID string) (Entry, error) {
	entries, _, err := readDirectory(ctx, m.home(), directoryBegin)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range entries {
		if e.Slug == slugOrID || e.TenantID.String() == slugOrID {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("the directory has no tenant %q", slugOrID)
}

// Tenants returns all entries of the directory. Errors: problem.DatabaseUnavailable.
func (m *Mover) Tenants(ctx context.Context) ([]Entry, error) {
	entries, _, err := readDirectory(ctx, m.home(), directoryBegin)
	return entries, err
}

// Move moves a tenant to a cell, or goes on with a move to that cell that was interrupted. The tenant's requests are
// held back, or refused with problem.TenantMoving, from the moment at which it is frozen until it is handed over. A
// move that fails before that is ended: the tenant goes on where it was, and the next move deletes what was copied.
//
// Errors: problem.InvalidState if another move of the tenant has begun; those of the steps in package move.
func (m *Mover) Move(ctx context.Context, tenant uuid.UUID, to string) error {
	if m.Databases[to] == nil {
		return fmt.Errorf("there is no cell %q", to)
	}
	entry, err := findEntry(ctx, m.home(), tenant)
	switch {
	case err != nil:
		return err
	case entry.MoveID == nil && entry.Cell == to:
		return m.deleteLeftAnywhere(ctx, tenant, to)
	case entry.MoveID != nil && *entry.MovingTo != to:
		return problem.New(problem.InvalidState,
			"A move of this tenant to the cell "+*entry.MovingTo+" has begun. Finish or abort it "+
				"first.")
	}
	if m.Databases[entry.Cell] == nil {
		return fmt.Errorf("the tenant's cell %q isn't among the cells", entry.Cell)
	}
	noted := notedMove{TenantID: tenant, MoveID: uuid.Must(uuid.NewV7()), From: entry.Cell, To: to}
	if entry.MoveID != nil {
		noted.MoveID = *entry.MoveID
	}
	if err := noteMove(ctx, m.home(), noted, false); err != nil {
		return err
	}
	if err := m.carryOver(ctx, noted); err != nil {
		return errors.Join(err, m.abandon(ctx, noted))
	}
	if err := noteEndOfMove(ctx, m.home(), noted, true); err != nil {
		return err
	}
	return m.DeleteLeft(ctx, tenant, noted.From)
}

// Estimate says how long a move of a tenant to a cell would take, and for how long its requests would be held back. It
// moves nothing. Errors: those of move.Measure.
func (m *Mover) Estimate(ctx context.Context, tenant uuid.UUID, to string) (move.Estimate, error) {
	entry, err := findEntry(ctx, m.home(), tenant)
	switch {
	case err != nil:
		return move.Estimate{}, err
	case m.Databases[to] == nil:
		return move.Estimate{}, fmt.Errorf("there is no cell %q", to)
	case m.Databases[entry.Cell] == nil:
		return move.Estimate{}, fmt.Errorf("the tenant's cell %q isn't among the cells", entry.Cell)
	}
	return move.Measure(ctx, m.Databases[entry.Cell], m.Databases[to], tenant)
}

// carryOver makes the steps of a move that the directory knows until the tenant can be served in its new cell.
func (m *Mover) carryOver(ctx context.Context, noted notedMove) error {
	from, to := m.Databases[noted.From], m.Databases[noted.To]
	moving := move.Move{ID: noted.MoveID, Tenant: noted.TenantID, FromCell: noted.From, ToCell: noted.To}
	log := m.Log.With("tenant_id", noted.TenantID, "from", noted.From, "to", noted.To)
	if err := move.Compare(ctx, from, to); err != nil {
		return err
	}
	log.Info("the move begins: the tenant's rows are copied")
	began := time.Now()
	copied, err := move.CopyAhead(ctx, from, to, moving)
	if err != nil {
		return err
	}
	log.Info("the rows are copied: workers end what they do for the tenant", "rows", copied, "took", time.Since(began))
	draining, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	if err := move.Begin(draining, from, moving); err != nil {
		return err
	}
	if err := noteMove(ctx, m.home(), noted, true); err != nil {
		return err
	}
	started := time.Now()
	log.Info("the tenant's requests wait")
	select { // servers read the directory every second
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(noticeTime):
	}
	freezing, cancel := context.WithTimeout(ctx, freezeTime)
	defer cancel()
	if err := move.Freeze(freezing, from, moving, relayIn(from)); err != nil {
		return err
	}
	rows, err := move.HandOver(ctx, from, to, moving)
	if err != nil {
		return err
	}
	log.Info("the tenant is in its new cell", "rows_since", rows, "held_back_for", time.Since(started))
	return move.Finish(ctx, from, to, moving)
}

// relayIn returns what relays the next changes of a cell's tenants.
func relayIn(d *db.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := event.RelayFeed(ctx, d, relayedAtOnce)
		return err
	}
}

// abandon ends a move that failed. It returns an error if the tenant is left frozen.
func (m *Mover) abandon(ctx context.Context, noted notedMove) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	if err := m.end(ctx, noted); err != nil {
		return fmt.Errorf("the move could not be ended; its tenant may get no answers until it is moved or the move is aborted: %w", err)
	}
	m.Log.Info("the move was ended: the tenant goes on in its cell", "tenant_id", noted.TenantID, "cell", noted.From)
	return nil
}

// Abort ends the move of a tenant: it goes on where it was, and what was copied is deleted. Errors:
// problem.InvalidState if no move has begun, or the tenant was handed over already: Move finishes it; those of
// move.Abort and move.DeleteLeft.
func (m *Mover) Abort(ctx context.Context, tenant uuid.UUID) error {
	entry, err := findEntry(ctx, m.home(), tenant)
	switch {
	case err != nil:
		return err
	case entry.MoveID == nil:
		return problem.New(problem.InvalidState, "No move of this tenant has begun.")
	}
	noted := notedMove{TenantID: tenant, MoveID: *entry.MoveID, From: entry.Cell, To: *entry.MovingTo}
	if err := m.end(ctx, noted); err != nil {
		return err
	}
	return m.DeleteLeft(ctx, tenant, noted.To)
}

func (m *Mover) end(ctx context.Context, noted notedMove) error {
	from, to := m.Databases[noted.From], m.Databases[noted.To]
	if from == nil || to == nil {
		return fmt.Errorf("the cells %q and %q must be among the cells", noted.From, noted.To)
	}
	moving := move.Move{ID: noted.MoveID, Tenant: noted.TenantID, ToCell: noted.To}
	if err := move.Abort(ctx, from, to, moving); err != nil {
		return err
	}
	return noteEndOfMove(ctx, m.home(), noted, false)
}

// deleteLeftAnywhere deletes what a tenant that is in a cell left in others. A cell that can't be asked keeps no other
// from it.
func (m *Mover) deleteLeftAnywhere(ctx context.Context, tenant uuid.UUID, in string) error {
	var failed error
	for _, name := range m.Cells {
		if name != in {
			failed = errors.Join(failed, m.DeleteLeft(ctx, tenant, name))
		}
	}
	return failed
}

// DeleteLeft deletes what a tenant that has moved away left in a cell, if there is anything. Errors: those of
// move.DeleteLeft.
func (m *Mover) DeleteLeft(ctx context.Context, tenant uuid.UUID, in string) error {
	left, err := move.Find(ctx, m.Databases[in], tenant)
	if err != nil {
		return fmt.Errorf("cell %s: %w", in, err)
	}
	if left == nil || left.State != move.Moved {
		return nil
	}
	for {
		n, err := move.DeleteLeft(ctx, m.Databases[in], tenant, deleteBatch)
		if err != nil {
			return fmt.Errorf("cell %s: delete what the tenant left: %w", in, err)
		}
		if n == 0 {
			return nil
		}
	}
}

package catalog

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// CreateBlock takes time of a resource without a booking, under the date locks of all dates that it touches. With force
// it is taken although bookings stand there: they stay, and nobody else gets the time, also once they have left. Holds
// past their expiry aren't in the way.
//
// Errors: problem.ValidationFailed, problem.NotFound for the resource; problem.BookingsInTheWay without force;
// problem.BlockInTheWay for another block of the resource; problem.TooManyDates for more dates than a transaction may
// lock; those of db.Request.Outcome and of db.DB.Dates.
func (s *Service) CreateBlock(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	c BlockChange,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	b, err := c.Block(t.Location)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	keys, err := blockKeys(t, b)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	if b.byNight, err = s.sellsNights(ctx, t.ID, b.ResourceID); err != nil {
		return idempotency.Outcome{}, err
	}
	b.ID = uuid.Must(uuid.NewV7())
	return request.Outcome(s.db.Dates(ctx, request, keys, func(tx *db.DatesTx) func() error {
		var occupied []claim.Claim
		occupancy.ListInTheWay(tx, b.periods(t.Location), &occupied)
		return func() error {
			made := b
			made.Version, made.CreatedAt, made.UpdatedAt = 1, tx.Now(), tx.Now()
			take, err := made.take(occupied, tx.Now(), c.Force, t.Location)
			if err != nil {
				return err
			}
			if err := queueBlock(tx, take); err != nil {
				return err
			}
			if err := recordChange(tx, "block.created", event.SubjectBlock, made.ID, made.Version,
				made.Body()); err != nil {
				return err
			}
			made.standIn(occupied, tx.Now(), t.Location)
			return tx.Respond(idempotency.Made(event.SubjectBlock, made.ID, made.Version, made.Body()))
		}
	}))
}

// errBlockChanged says that a block has changed since its dates were locked.
var errBlockChanged = errors.New("catalog: block changed")

// ChangeBlock changes a block under the date locks of its dates before and after the change. A block that gets another
// time or resource is judged like a new one. A change to what is already so writes nothing and keeps the version.
// Errors: those of CreateBlock, without those of its request; problem.VersionMismatch.
func (s *Service) ChangeBlock(
	ctx context.Context, t tenant.Tenant, id uuid.UUID, change mergepatch.Patch[BlockChange], allowed etag.Precondition,
) (b Block, err error) {
	err = s.withBlock(ctx, t, nil, id,
		func(seen Block) (Block, bool, error) { return seen.changedBy(change, t.Location) },
		func(tx *db.DatesTx, occupied []claim.Claim, before, after Block, force bool) error {
			b, err = updateBlock(tx, occupied, "block.updated", before, after, force, allowed, t.Location)
			return err
		})
	return b, err
}

// ArchiveBlock frees what a block takes, or takes it again as a new block does, under the date locks of its dates. What
// is already so stays as it is and keeps its version. Errors: those of CreateBlock; problem.VersionMismatch.
func (s *Service) ArchiveBlock(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, a Archiving,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	return request.Outcome(s.withBlock(ctx, t, request, id,
		func(seen Block) (Block, bool, error) { return seen, a.Force, nil },
		func(tx *db.DatesTx, occupied []claim.Claim, before, after Block, force bool) error {
			if !a.Archived {
				after.ArchivedAt = nil
			} else if after.ArchivedAt == nil {
				after.ArchivedAt = new(tx.Now())
			}
			b, err := updateBlock(tx, occupied, "block."+a.action(), before, after, force, allowed, t.Location)
			if err != nil {
				return err
			}
			return tx.Respond(idempotency.Changed(event.SubjectBlock, b.ID, b.Version, b.Body()))
		}))
}

// changedBy returns the block after a change, and whether it is forced. Errors: those of BlockSpec.Block.
func (b Block) changedBy(p mergepatch.Patch[BlockChange], loc *time.Location) (Block, bool, error) {
	change, err := p.Apply(BlockChange{BlockSpec: b.spec()})
	if err != nil {
		return b, false, err
	}
	after, err := change.Block(loc)
	after.ID, after.ArchivedAt, after.Version, after.CreatedAt, after.UpdatedAt = b.ID, b.ArchivedAt, b.Version,
		b.CreatedAt, b.UpdatedAt
	return after, change.Force, err
}

// updateBlock queues a block with its next version, what it takes and the entry of its history, unless nothing differs.
// Errors: problem.VersionMismatch; those of Block.take.
func updateBlock(tx *db.DatesTx, occupied []claim.Claim, action string, before, after Block, force bool,
	allowed etag.Precondition, loc *time.Location,
) (Block, error) {
	if err := allowed.Check("block", before.Version); err != nil {
		return before, err
	}
	if reflect.DeepEqual(before.Body(), after.Body()) {
		return before, nil
	}
	after.Version, after.UpdatedAt = before.Version+1, tx.Now()
	row, err := after.row(loc)
	if err != nil {
		return before, err
	}
	take, replace := takenBlock{blockRow: row, loc: loc}, after.takesOther(before)
	if replace && after.ArchivedAt == nil {
		if take, err = after.take(occupied, tx.Now(), force, loc); err != nil {
			return before, err
		}
	}
	if err := queueBlockChange(tx, take, replace); err != nil {
		return before, err
	}
	if err := recordChange(tx, action, event.SubjectBlock, after.ID, after.Version, after.Body()); err != nil {
		return before, err
	}
	if replace && after.ArchivedAt == nil {
		after.standIn(occupied, tx.Now(), loc)
	}
	return after, nil
}

// takesOther reports whether the block takes another time or resource than before.
func (b Block) takesOther(before Block) bool {
	same := func(x, y timetable.BlockTime) bool { return x.StartsAt.Equal(y.StartsAt) && x.EndsAt.Equal(y.EndsAt) }
	return b.ResourceID != before.ResourceID || (b.From == nil) != (before.From == nil) ||
		(b.ArchivedAt == nil) != (before.ArchivedAt == nil) ||
		!slices.EqualFunc(b.Times, before.Times, same)
}

// withBlock runs decide under the date locks of a block's dates before and after a change, with the block before and
// after it. change says how the block is changed, and whether that is forced. request is what is served, nil for a
// change without a key.
func (s *Service) withBlock(ctx context.Context, t tenant.Tenant, request *db.Request, id uuid.UUID,
	change func(Block) (after Block, force bool, err error),
	decide func(tx *db.DatesTx, occupied []claim.Claim, before, after Block, force bool) error,
) error {
	for range maxTries {
		seen, err := s.Block(ctx, t, id)
		if err != nil {
			return err
		}
		after, force, err := change(seen)
		if err != nil {
			return err
		}
		if after.byNight, err = s.sellsNights(ctx, t.ID, after.ResourceID); err != nil {
			return err
		}
		keys, err := blockKeys(t, seen, after)
		if err != nil {
			return err
		}
		err = s.db.Dates(ctx, request, keys, func(tx *db.DatesTx) func() error {
			var row *blockRow
			var occupied []claim.Claim
			queueBlockOf(tx, id, &row)
			occupancy.ListInTheWay(tx, after.periods(t.Location), &occupied)
			return func() error {
				switch {
				case row == nil:
					return problem.Missing()
				case row.Version != seen.Version:
					return errBlockChanged
				}
				return decide(tx, occupied, seen, after, force)
			}
		})
		if !errors.Is(err, errBlockChanged) {
			return err
		}
	}
	return problem.New(problem.LockTimeout, "The block keeps changing. Nothing was written.").Retry(time.Second)
}

// blockKeys names the locks of the dates of a block, or of one before and after a change. Errors: problem.TooManyDates.
func blockKeys(t tenant.Tenant, blocks ...Block) (lock.DateKeys, error) {
	var times []timetable.BlockTime
	for _, b := range blocks {
		times = append(times, b.Times...)
	}
	slices.SortFunc(times, func(a, b timetable.BlockTime) int { return a.StartsAt.Compare(b.StartsAt) })
	dates, err := timetable.BlockedDates(times, t.Location)
	if err != nil {
		return lock.DateKeys{}, err
	}
	return DateKeys(t.ID, dates)
}

package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// ScheduledEvent is a row of the scheduled events. LeasedUntil is nil unless a worker has the event.
type ScheduledEvent struct {
	Tenant, ID, Kind, Subject, Status string
	Version                           int64
	Attempts                          int
	DueAt                             time.Time
	LeasedUntil                       *time.Time
}

// EventChange is a change of a scheduled event, as the database saw it. Version is the one after the change, and At
// when it was made. WrittenBy is the transaction that made it, as in Key.
type EventChange struct {
	Tenant, ID, Kind, Subject, Occurrence, From, To string
	FromVersion, Version, WrittenBy                 int64
	FromAttempts, Attempts                          int
	LeasedUntil                                     *time.Time // of the worker that had the event before
	At                                              time.Time
}

// recorded is how the database notes each change of a scheduled event. A worker's own account would show nothing of
// what another worker did.
const recorded = `
	CREATE SCHEMA torture;
	CREATE TABLE torture.event_changes (LIKE scheduled_events, from_status text, from_version bigint, from_attempts int,
		from_leased_until timestamptz, at timestamptz);
	CREATE FUNCTION torture.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	BEGIN
		INSERT INTO torture.event_changes
		SELECT NEW.*, OLD.status, OLD.version, OLD.attempts, OLD.leased_until, clock_timestamp();
		RETURN NULL;
	END $$;
	CREATE TRIGGER torture AFTER UPDATE ON scheduled_events FOR EACH ROW
		WHEN ((OLD.status, OLD.version, OLD.lease) IS DISTINCT FROM (NEW.status, NEW.version, NEW.lease)) EXECUTE FUNCTION torture.note();`

// Watch has the database record the changes of scheduled events and the stays of bookings, for Read. It is called once,
// as the database's owner, before the first event.
func Watch(ctx context.Context, d Database) error {
	sql := recorded + recordedStays + recordedClaims
	if d.Cell != "" {
		sql += recordedOrigins
	}
	conn, err := pgx.Connect(ctx, d.URL)
	if err == nil {
		_, err = conn.Exec(ctx, sql)
		err = errors.Join(err, conn.Close(ctx))
	}
	if err != nil {
		return fmt.Errorf("record the changes of scheduled events and bookings: %w", err)
	}
	return nil
}

func (s *State) readScheduled(ctx context.Context, tx pgx.Tx) (err error) {
	if s.Scheduled, err = collect[ScheduledEvent](ctx, tx, `
		SELECT tenant_id::text AS tenant, event_id::text AS id, kind, subject_id::text AS subject, status, version, attempts, due_at,
			leased_until
		FROM scheduled_events`); err != nil {
		return err
	}
	s.EventChanges, err = collect[EventChange](ctx, tx, `
		SELECT tenant_id::text AS tenant, event_id::text AS id, kind, subject_id::text AS subject, occurrence, from_status AS from,
			status AS to, from_version, version, from_attempts, attempts, from_leased_until AS leased_until, at,
			xmin::text::bigint AS written_by
		FROM torture.event_changes ORDER BY tenant_id, event_id, version, at`)
	return err
}

// eventChanges are the statuses that an event may have after another one. A worker claims an event that nobody has, and
// only what a worker has can be completed. What changes the subject may plan the event anew or cancel it at any time.
var eventChanges = map[string][]string{
	"pending":    {"pending", "processing", "cancelled"},
	"failed":     {"pending", "processing", "cancelled"},
	"processing": {"pending", "failed", "completed", "dead", "cancelled"},
	"completed":  {"pending"},
	"dead":       {"pending"},
	"cancelled":  {"pending"},
}

// scheduled checks that each scheduled event was handled in time, and by one worker at a time.
func (c *checker) scheduled() {
	for _, e := range c.end.EventChanges {
		switch {
		case e.From == "processing" && e.To == "processing":
			c.violate(RuleSchedule, nil,
				"the event %s was handed to a worker at %s although another one had it until %s", e.ID, e.At,
				e.LeasedUntil)
		case e.From == "completed" && e.To == "completed":
			c.violate(RuleSchedule, nil, "the event %s was completed twice", e.ID)
		case !slices.Contains(eventChanges[e.From], e.To):
			c.violate(RuleSchedule, nil, "the event %s became %s when no worker had it: it was %s", e.ID, e.To, e.From)
		}
		if e.Version != e.FromVersion+1 {
			c.violate(RuleSchedule, nil, "a change of the event %s from %s to %s made version %d of version %d", e.ID,
				e.From, e.To,
				e.Version, e.FromVersion)
		}
		if e.To == "processing" && e.Attempts != e.FromAttempts+1 {
			c.violate(RuleSchedule, nil, "attempt %d of the event %s followed on attempt %d", e.Attempts, e.ID,
				e.FromAttempts)
		}
	}
	late := c.end.Now.Add(-longestLapse)
	planned := map[scopedKey]bool{}
	for _, e := range c.end.Scheduled {
		planned[scopedKey{e.Subject, e.Kind}] = true
		if b := c.booking[e.Subject]; e.Kind == "booking.hold_expiry" && e.Status == "pending" && e.Attempts == 0 &&
			b != nil &&
			b.Status == "held" &&
			!e.DueAt.Equal(*b.HoldExpiresAt) {
			c.violate(RuleSchedule, nil, "the hold %s ends at %s, and its event is due at %s", b.ID, b.HoldExpiresAt,
				e.DueAt)
		}
		switch {
		case e.Status == "dead":
			c.violate(RuleSchedule, nil, "the event %s (%s of %s) is dead after %d attempts", e.ID, e.Kind, e.Subject,
				e.Attempts)
		case e.Status == "processing" && e.LeasedUntil.Before(late):
			c.violate(RuleSchedule, nil, "the event %s (%s of %s) is with a worker whose time was over at %s", e.ID,
				e.Kind, e.Subject,
				e.LeasedUntil)
		case (e.Status == "pending" || e.Status == "failed") && e.DueAt.Before(late):
			c.violate(RuleSchedule, nil, "the event %s (%s of %s) was due at %s and wasn't handled", e.ID, e.Kind,
				e.Subject, e.DueAt)
		}
	}
	for i := range c.end.Bookings {
		if b := &c.end.Bookings[i]; b.HoldExpiresAt != nil && !planned[scopedKey{b.ID, "booking.hold_expiry"}] {
			c.violate(RuleSchedule, nil, "nothing was planned for the end of the hold %s", b.ID)
		}
	}
	for _, p := range c.payment {
		// What a wallet pays or gets back at once is never open.
		if (p.Provider != walletProvider || p.Automatic) && !planned[scopedKey{p.ID, "payment.resolution"}] {
			c.violate(RuleSchedule, c.payers(p), "nothing was planned to resolve the payment %s", p.ID)
		}
	}
}

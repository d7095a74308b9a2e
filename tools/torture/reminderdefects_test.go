package torture_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
)

// staleReads keeps what a booking was when a reminder of it was first planned, and tells whether it was cancelled or
// moved after that.
const staleReads = `
	CREATE TABLE public.planned (LIKE bookings, PRIMARY KEY (tenant_id, booking_id));
	GRANT SELECT ON public.planned TO PUBLIC;
	CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		INSERT INTO public.planned
		SELECT b.* FROM public.bookings b WHERE b.tenant_id = NEW.tenant_id AND b.booking_id = NEW.subject_id
		ON CONFLICT DO NOTHING;
		RETURN NULL;
	END $$;
	CREATE TRIGGER keep AFTER INSERT ON scheduled_events FOR EACH ROW WHEN (NEW.kind = 'booking.reminder') EXECUTE FUNCTION public.keep();
	CREATE FUNCTION public.has_changed(booking uuid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER AS $$
		SELECT EXISTS (
			SELECT FROM public.planned p JOIN public.bookings b USING (tenant_id, booking_id)
			WHERE p.booking_id = booking AND (b.status, b.starts_at) IS DISTINCT FROM (p.status, p.starts_at)) $$;`

// remindersDue has reminders due when a condition holds, and not when their time has come.
func remindersDue(when string) []rewrite {
	return []rewrite{anyTimeIsDue, {
		where: []string{"-- name: EventLease"}, old: "s.due_at <= now()",
		by: "CASE s.kind WHEN 'booking.reminder' THEN " + when + " ELSE s.due_at <= now() END",
	}}
}

func reminderDefects() []defect {
	return []defect{
		{
			name:     "what is shipped, with reminders that are due as soon as they are planned",
			rewrites: remindersDue("true"),
			plant:    untilReminded("count(*) > 20"), most: "cancel",
		},
		{
			// What messages read of a booking, in transactions that see one moment, and the version that is compared
			// before a notice is written are those of when its reminder was planned. A reminder is due once its booking
			// was cancelled or moved.
			name: "a reminder planned from a stale read that is sent", rules: []string{check.RuleReminder},
			detail:  "was sent",
			prepare: staleReads,
			rewrites: append([]rewrite{
				{where: []string{"-- name: BookingGet :one"}, old: "FROM bookings b", by: `FROM (
					SELECT * FROM public.planned WHERE current_setting('transaction_isolation') = 'repeatable read'
					UNION ALL
					SELECT o.* FROM bookings o WHERE current_setting('transaction_isolation') <> 'repeatable read'
						OR NOT EXISTS (SELECT FROM public.planned p WHERE p.booking_id = o.booking_id)) b`},
				{where: []string{"-- name: EventListVersions"}, old: "FROM bookings b", by: "FROM public.planned b"},
			}, remindersDue("public.has_changed(s.subject_id)")...),
			plant: untilReminded("count(*) > 0"), always: true,
		},
	}
}

// untilReminded has clients book, cancel and move until so many reminders were sent.
func untilReminded(enough string) func(*testing.T, *torture.Config) {
	return func(_ *testing.T, cfg *torture.Config) {
		var reminded atomic.Bool
		cfg.Operations = operations(map[string]int{"create": 8, "hold": 2, "confirm": 2, "cancel": 6, "reschedule": 4,
			"pay": 2})
		cfg.Enough = func(map[string]int) bool { return reminded.Load() }
		cfg.Actor = func(ctx, load context.Context, c *cluster.Cluster) error {
			return beside(ctx, load, c, 100*time.Millisecond, func(conn *pgx.Conn) error {
				var is bool
				err := conn.QueryRow(ctx,
					"SELECT "+enough+" FROM scheduled_events WHERE kind = 'booking.reminder' AND status = 'completed'").Scan(&is)
				reminded.Store(is)
				return err
			})
		}
	}
}

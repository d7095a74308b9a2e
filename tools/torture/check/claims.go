package check

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// wantedClaims lists the claims that the rows of the bookings ask for: one of each resource, or of its session, at its time, and of a
// session those of the resources of its bookings. Bookings that ended ask for none.
const wantedClaims = `
	WITH active AS (
		SELECT b.tenant_id, b.booking_id, b.session_id, b.busy_from, b.busy_until,
			b.resource_id || coalesce(b.other_resource_ids, '{}') AS resources,
			CASE WHEN b.status = 'held' THEN b.hold_expires_at END AS expires_at
		FROM public.bookings b WHERE b.status NOT IN ('cancelled', 'expired')
	), wanted AS (
		SELECT a.tenant_id, a.booking_id AS owner_id, r.number, r.resource_id, a.busy_from, a.busy_until, a.expires_at
		FROM active a, unnest(CASE WHEN a.session_id IS NULL THEN a.resources ELSE ARRAY[a.session_id] END)
			WITH ORDINALITY AS r (resource_id, number)
		UNION ALL
		SELECT a.tenant_id, a.session_id, r.number, r.resource_id, a.busy_from, a.busy_until,
			CASE WHEN count(a.expires_at) = count(*) THEN max(a.expires_at) END
		FROM active a, unnest(a.resources) WITH ORDINALITY AS r (resource_id, number)
		WHERE a.session_id IS NOT NULL
		GROUP BY a.tenant_id, a.session_id, r.number, r.resource_id, a.busy_from, a.busy_until
	)`

// recordedClaims is how the database notes each commit after which a booking hasn't one claim of each of its resources, or of its session,
// at its time, or has another one.
const recordedClaims = `
	CREATE TABLE torture.incomplete (booking_id uuid, resources int, claims int, owned int, at timestamptz);
	CREATE FUNCTION torture.note_incomplete() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	BEGIN
		INSERT INTO torture.incomplete
		SELECT b.booking_id, cardinality(w.resources), r.claims, r.owned, clock_timestamp()
		FROM public.bookings b, LATERAL (
			SELECT CASE WHEN b.status IN ('cancelled', 'expired') THEN '{}' WHEN b.session_id IS NOT NULL THEN ARRAY[b.session_id]
				ELSE b.resource_id || coalesce(b.other_resource_ids, '{}') END AS resources
		) AS w, LATERAL (
			SELECT count(*) AS owned, count(*) FILTER (WHERE (c.busy_from, c.busy_until) = (b.busy_from, b.busy_until)
				AND c.resource_id = w.resources[c.number]) AS claims
			FROM public.claims c WHERE c.tenant_id = b.tenant_id AND c.owner_id = b.booking_id
		) AS r
		WHERE b.tenant_id = NEW.tenant_id AND b.booking_id = NEW.booking_id
			AND (r.claims <> cardinality(w.resources) OR r.owned <> cardinality(w.resources));
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER torture_complete AFTER INSERT OR UPDATE ON bookings DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION torture.note_incomplete();`

// readWrongClaims compares the claims with those that the bookings ask for, at the end and after each commit that changed a booking.
func (s *State) readWrongClaims(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, wantedClaims+`
		SELECT format('the claims of %s are %s', coalesce(w.owner_id, c.owner_id), CASE
			WHEN c.owner_id IS NULL THEN format('without number %s on %s from %s to %s', w.number, w.resource_id, w.busy_from, w.busy_until)
			WHEN w.owner_id IS NULL
			THEN format('one too many: number %s on %s from %s to %s', c.number, c.resource_id, c.busy_from, c.busy_until)
			ELSE format('wrong: number %s on %s from %s to %s until %s in place of %s from %s to %s until %s', c.number, c.resource_id,
				c.busy_from, c.busy_until, c.expires_at, w.resource_id, w.busy_from, w.busy_until, w.expires_at) END)
		FROM wanted w
		FULL JOIN claims c ON c.tenant_id = w.tenant_id AND c.owner_id = w.owner_id AND c.number = w.number
		WHERE (w.resource_id, w.busy_from, w.busy_until, w.expires_at) IS DISTINCT FROM
			(c.resource_id, c.busy_from, c.busy_until, c.expires_at)
			AND NOT EXISTS (SELECT FROM blocks b WHERE b.tenant_id = c.tenant_id AND b.block_id = c.owner_id AND b.archived_at IS NULL)
		UNION ALL
		SELECT format('a commit at %s left the booking %s with claims of %s of its %s resources, and %s in all', at, booking_id, claims,
			resources, owned)
		FROM torture.incomplete`)
	if err == nil {
		s.WrongClaims, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return err
}

// claims reports bookings whose claims aren't those that their state asks for.
func (c *checker) claims() {
	for _, text := range c.end.WrongClaims {
		c.violate(RuleCalendar, nil, "%s", text)
	}
}

package check

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// wantedClaims lists what the rows of the bookings ask for: claims of each resource, or of the session, for all of the
// booking's time, and of a session those of the resources of its bookings. Bookings that ended ask for none.
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
	), claimed AS (
		SELECT c.tenant_id, c.owner_id, row_number() OVER (PARTITION BY c.tenant_id, c.owner_id ORDER BY min(c.number)) AS number,
			c.resource_id, min(c.busy_from) AS busy_from, max(c.busy_until) AS busy_until, max(c.expires_at) AS expires_at,
			` + followEachOther + `
				AND count(c.expires_at) IN (0, count(*)) AND min(c.expires_at) IS NOT DISTINCT FROM max(c.expires_at) AS whole
		FROM public.claims c, LATERAL (SELECT sum(upper(r) - lower(r)) AS units FROM unnest(c.units) AS r) AS u
		GROUP BY c.tenant_id, c.owner_id, c.resource_id
	)`

// followEachOther tells of the claims c of one owner and one resource, each with u.units, that they follow each other
// without a gap, each with as many units.
const followEachOther = `sum(c.busy_until - c.busy_from) = max(c.busy_until) - min(c.busy_from)
	AND range_agg(c.during) = tstzmultirange(tstzrange(min(c.busy_from), max(c.busy_until))) AND min(u.units) = max(u.units)`

// recordedClaims is how the database notes each commit after which a booking hasn't claims of each of its resources, or
// of its session, for all of its time, or has others. A copy that nobody is shown yet may be incomplete.
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
			SELECT count(*) AS owned, count(*) FILTER (WHERE o.whole AND (o.busy_from, o.busy_until) = (b.busy_from, b.busy_until)
				AND o.resource_id = w.resources[o.number]) AS claims
			FROM (
				SELECT c.resource_id, row_number() OVER (ORDER BY min(c.number)) AS number, min(c.busy_from) AS busy_from,
					max(c.busy_until) AS busy_until, ` + followEachOther + ` AS whole
				FROM public.claims c, LATERAL (SELECT sum(upper(r) - lower(r)) AS units FROM unnest(c.units) AS r) AS u
				WHERE c.tenant_id = b.tenant_id AND c.owner_id = b.booking_id
				GROUP BY c.resource_id
			) AS o
		) AS r
		WHERE b.tenant_id = NEW.tenant_id AND b.booking_id = NEW.booking_id
			AND NOT EXISTS (SELECT FROM public.tenant_moves m WHERE m.tenant_id = b.tenant_id AND m.copied_from IS NOT NULL)
			AND (r.claims <> cardinality(w.resources) OR r.owned <> cardinality(w.resources));
		RETURN NULL;
	END $$;
	CREATE CONSTRAINT TRIGGER torture_complete AFTER INSERT OR UPDATE ON bookings DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION torture.note_incomplete();`

// readWrongClaims compares the claims with those that the bookings ask for, at the end and after each commit that
// changed a booking.
func (s *State) readWrongClaims(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, wantedClaims+`
		SELECT format('the claims of %s are %s', coalesce(w.owner_id, c.owner_id), CASE
			WHEN c.owner_id IS NULL THEN format('without number %s on %s from %s to %s', w.number, w.resource_id, w.busy_from, w.busy_until)
			WHEN w.owner_id IS NULL
			THEN format('one too many: number %s on %s from %s to %s', c.number, c.resource_id, c.busy_from, c.busy_until)
			ELSE format('wrong: number %s on %s from %s to %s until %s, whole: %s, in place of %s from %s to %s until %s', c.number,
				c.resource_id, c.busy_from, c.busy_until, c.expires_at, c.whole, w.resource_id, w.busy_from, w.busy_until,
				w.expires_at) END)
		FROM wanted w
		FULL JOIN claimed c ON c.tenant_id = w.tenant_id AND c.owner_id = w.owner_id AND c.number = w.number
		WHERE (w.resource_id, w.busy_from, w.busy_until, w.expires_at, true) IS DISTINCT FROM
			(c.resource_id, c.busy_from, c.busy_until, c.expires_at, c.whole)
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

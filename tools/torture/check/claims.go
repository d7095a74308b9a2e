package check

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// readWrongClaims finds the bookings that haven't exactly the claim that their status asks for: one of their resource and time, or none
// once they ended. It also finds claims without a booking.
func (s *State) readWrongClaims(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `
		SELECT format('the booking %s is %s, and its claims are: %s', b.booking_id, b.status, coalesce(string_agg(
			format('%s of %s from %s to %s, which expire at %s', c.units, c.resource_id, c.busy_from, c.busy_until, c.expires_at), '; '),
			'none'))
		FROM bookings b
		LEFT JOIN claims c ON c.tenant_id = b.tenant_id AND c.owner_id = b.booking_id
		GROUP BY b.tenant_id, b.booking_id
		HAVING CASE WHEN b.status IN ('cancelled', 'expired') THEN count(c.owner_id) > 0
			ELSE count(c.owner_id) <> 1 OR bool_or((c.resource_id, c.busy_from, c.busy_until, c.expires_at)
				IS DISTINCT FROM (b.resource_id, b.busy_from, b.busy_until, CASE WHEN b.status = 'held' THEN b.hold_expires_at END)) END
		UNION ALL
		SELECT format('a claim of %s belongs to no booking', c.owner_id)
		FROM claims c
		WHERE NOT EXISTS (SELECT FROM bookings b WHERE b.tenant_id = c.tenant_id AND b.booking_id = c.owner_id)
			AND NOT EXISTS (SELECT FROM blocks b WHERE b.tenant_id = c.tenant_id AND b.block_id = c.owner_id AND b.archived_at IS NULL)`)
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

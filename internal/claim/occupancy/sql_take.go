package occupancy

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/internal/datessql"
	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// underDates are the statements that take and free time. The dates of what is taken, and of what is freed, must be
// locked.
var underDates = db.UnderDates(datessql.New)

// TimeTaken is what it means that the exclusion constraint refuses a claim.
var TimeTaken = db.Failure{State: db.ExclusionViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.SlotUnavailable, "The time is taken.")
}}

// Take queues claims of one owner, with numbers from first on. Seats are of a session; nil for other claims. If the
// time isn't free, the transaction returns problem.SlotUnavailable.
func Take(tx *db.DatesTx, claims []claim.Claim, session *uuid.UUID, first int16) {
	for i, c := range claims {
		db.Exec(underDates.On(tx), "insert the claim", func(q *datessql.Queries) error {
			return q.ClaimInsert(tx.Context(), datessql.ClaimInsertParams{
				TenantID:   tx.Tenant(),
				OwnerID:    c.OwnerID,
				Number:     first + int16(i),
				ResourceID: c.ResourceID,
				Units:      Multirange(c.Units),
				BusyFrom:   c.BusyFrom,
				BusyUntil:  c.BusyUntil,
				ExpiresAt:  c.ExpiresAt,
				SessionID:  session,
			})
		}, TimeTaken)
	}
}

// Many are claims of several owners.
type Many struct {
	p datessql.ClaimInsertManyParams
}

// Add adds claims of one owner, as Take takes them.
func (m *Many) Add(claims []claim.Claim, session *uuid.UUID, first int16) {
	for i, c := range claims {
		m.p.OwnerIds = append(m.p.OwnerIds, c.OwnerID)
		m.p.Numbers = append(m.p.Numbers, first+int16(i))
		m.p.ResourceIds = append(m.p.ResourceIds, c.ResourceID)
		m.p.Units = append(m.p.Units, Multirange(c.Units))
		m.p.BusyFrom = append(m.p.BusyFrom, c.BusyFrom)
		m.p.BusyUntil = append(m.p.BusyUntil, c.BusyUntil)
		m.p.ExpireAt = append(m.p.ExpireAt, db.OrZero(c.ExpiresAt))
		m.p.SessionIds = append(m.p.SessionIds, db.OrZero(session))
	}
}

// TakeMany is Take for the claims of several owners, in one statement. failures say what else its SQLSTATEs mean.
func TakeMany(tx *db.DatesTx, m Many, failures ...db.Failure) {
	m.p.TenantID = tx.Tenant()
	db.Exec(underDates.On(tx), "insert the claims", func(q *datessql.Queries) error {
		return q.ClaimInsertMany(tx.Context(), m.p)
	}, append(failures, TimeTaken)...)
}

// Keep queues that the claims of a hold, and those of its session, don't end by themselves any more.
func Keep(tx *db.DatesTx, owner uuid.UUID) {
	db.Exec(underDates.On(tx), "keep the claim", func(q *datessql.Queries) error {
		return q.ClaimKeep(tx.Context(), tx.Tenant(), owner)
	})
}

// Extend queues that the claims of a hold end at another time, and those of its session no sooner.
func Extend(tx *db.DatesTx, owner uuid.UUID, until time.Time) {
	db.Exec(underDates.On(tx), "extend the claim", func(q *datessql.Queries) error {
		return q.ClaimExtend(tx.Context(), datessql.ClaimExtendParams{
			TenantID: tx.Tenant(), OwnerID: owner, ExpiresAt: until,
		})
	})
}

// ExtendSession queues that a session lasts until a time, if that is later than its end; nil for ever.
func ExtendSession(tx *db.DatesTx, session uuid.UUID, until *time.Time) {
	db.Exec(underDates.On(tx), "extend the session", func(q *datessql.Queries) error {
		return q.SessionExtend(tx.Context(), datessql.SessionExtendParams{
			TenantID: tx.Tenant(), SessionID: session, ExpiresAt: until,
		})
	})
}

// Free queues that an owner occupies nothing any more. Its session ends with the last seat, and expires with the last
// hold.
func Free(tx *db.DatesTx, owner uuid.UUID) {
	db.Exec(underDates.On(tx), "free the claim", func(q *datessql.Queries) error {
		return q.ClaimDelete(tx.Context(), tx.Tenant(), owner)
	})
}

// Multirange writes units down as PostgreSQL reads them.
func Multirange(units []claim.UnitRange) string {
	text := []byte{'{'}
	for i, u := range units {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d)", u.From, u.Until)
	}
	return string(append(text, '}'))
}

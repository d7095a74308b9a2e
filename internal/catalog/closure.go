package catalog

import (
	"cmp"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Closure is a period of whole dates, both ends included, at which a resource can't be booked; without a
// resource it closes all of the tenant's.
type Closure struct {
	ID         uuid.UUID
	ResourceID *uuid.UUID
	From, To   civil.Date
	Reason     string
	// ArchivedAt is set for a closure that closes nothing any more.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Check returns problem.ValidationFailed for a period that ends before it starts, and for an unreadable reason.
func (c Closure) Check() error {
	var order, reason error
	if c.Reason != "" {
		reason = tenant.CheckText("reason", c.Reason)
	}
	if c.To.Before(c.From) {
		order = problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	}
	return cmp.Or(datetime.CheckDate("from", c.From), datetime.CheckDate("to", c.To), order, reason)
}

// Closes reports whether the closure keeps a resource from being booked on a date.
func (c Closure) Closes(resource uuid.UUID, d civil.Date) bool {
	return (c.ResourceID == nil || *c.ResourceID == resource) && !d.Before(c.From) && !d.After(c.To)
}

// ClosureSpec is what a tenant says of a closure: requests give it, and the API shows it.
type ClosureSpec struct {
	ResourceID *uuid.UUID `json:"resource_id,omitempty" format:"uuid" doc:"Without it, all of the tenant's resources close."`
	From       string     `json:"from" format:"date" example:"2027-12-24" doc:"First closed date."`
	To         string     `json:"to" format:"date" example:"2027-12-26" doc:"Last closed date; at most 62 dates in all, those before a change included."`
	Reason     string     `json:"reason" required:"false" maxLength:"500" example:"Winter maintenance"`
}

// Closure returns the closure. Errors: problem.ValidationFailed for what is no date.
func (s ClosureSpec) Closure() (c Closure, err error) {
	c = Closure{ResourceID: s.ResourceID, Reason: s.Reason}
	if c.From, err = datetime.ParseDate("from", s.From); err != nil {
		return c, err
	}
	c.To, err = datetime.ParseDate("to", s.To)
	return c, err
}

func (c Closure) spec() ClosureSpec {
	return ClosureSpec{ResourceID: c.ResourceID, From: c.From.String(), To: c.To.String(), Reason: c.Reason}
}

// changedBy returns the closure after a change. Errors: problem.ValidationFailed.
func (c Closure) changedBy(p mergepatch.Patch[ClosureSpec]) (Closure, error) {
	spec, err := p.Apply(c.spec())
	if err != nil {
		return c, err
	}
	given, err := spec.Closure()
	if err != nil {
		return c, err
	}
	c.ResourceID, c.From, c.To, c.Reason = given.ResourceID, given.From, given.To, given.Reason
	return c, c.Check()
}

// ETag returns the strong entity tag of the closure's version.
func (c Closure) ETag() string { return etag.Of(c.Version) }

// row returns what is stored of a closure.
func (c Closure) row() store.Closure {
	return store.Closure{ClosureID: c.ID, ResourceID: c.ResourceID, FromDate: c.From, ToDate: c.To, Reason: c.Reason,
		ArchivedAt: c.ArchivedAt}
}

// ClosureFromRow returns the closure of a row.
func ClosureFromRow(row store.Closure) Closure {
	c := Closure{
		ID: row.ClosureID, ResourceID: row.ResourceID, From: row.FromDate, To: row.ToDate, Reason: row.Reason,
		ArchivedAt: row.ArchivedAt, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.CreatedAt,
	}
	if row.UpdatedAt != nil {
		c.UpdatedAt = *row.UpdatedAt
	}
	return c
}

// ClosureBody is a closure.
type ClosureBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ClosureSpec
	ArchivedAt *time.Time `json:"archived_at,omitempty" doc:"Since when it closes nothing any more; absent if it does."`
	Version    int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

// Body returns the closure as the API shows it.
func (c Closure) Body() ClosureBody {
	return ClosureBody{
		ID: c.ID, ClosureSpec: c.spec(), ArchivedAt: archivedBody(c.ArchivedAt, c.Version).ArchivedAt, Version: c.Version,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

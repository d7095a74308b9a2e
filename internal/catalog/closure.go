package catalog

import (
	"cmp"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Closure closes resources of a tenant on some dates, with its reason.
type Closure struct {
	ID uuid.UUID
	timetable.Closure
	Reason string
	// ArchivedAt is set for a closure that closes nothing any more.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Check returns problem.ValidationFailed for a period or hours that end before they start, for an unreadable reason,
// and for what is out of bounds.
func (c Closure) Check() error {
	var order, hours, reason error
	if c.Reason != "" {
		reason = problem.CheckText("reason", c.Reason)
	}
	if c.To.Before(c.From) {
		order = problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	}
	if c.Hours != nil && c.Hours.Until <= c.Hours.From {
		hours = problem.Invalid("ends", "not_after_starts",
			"Expected a time after starts. Hours over midnight are two closures.")
	}
	return cmp.Or(datetime.CheckDate("from", c.From), datetime.CheckDate("to", c.To), order, hours, reason,
		bounds.Check("", c.spec()))
}

// lockedDates returns the dates that a change of the closure locks: all, but of a yearly one those of the year that
// begins today, or its first ones if these are to come. There is always one.
func (c *Closure) lockedDates(today civil.Date) []civil.Date {
	if !c.Yearly || !c.From.Before(today) {
		return datetime.DatesBetween(c.From, c.To)
	}
	dates := slices.DeleteFunc(datetime.DatesBetween(today, today.AddDays(364)),
		func(d civil.Date) bool { return !c.Has(d) })
	if len(dates) == 0 { // 29 February
		return []civil.Date{c.From}
	}
	return dates
}

// ClosureSpec is what a tenant says of a closure: requests give it, and the API shows it.
type ClosureSpec struct {
	ResourceID *uuid.UUID `json:"resource_id,omitempty" format:"uuid" doc:"Without it, all of the tenant's resources close."`
	From       string     `json:"from" format:"date" example:"2027-12-24" doc:"First closed date."`
	To         string     `json:"to" format:"date" example:"2027-12-26" doc:"Last closed date; at most 62 dates in all, those before a change included."`
	Starts     string     `json:"starts,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"12:00" doc:"With ends: only these hours of each date are closed, by the clock. Without: whole dates. Slots can't touch the hours; dates and nights can be booked all the same."`
	Ends       string     `json:"ends,omitempty" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" example:"14:30" doc:"After starts. 24:00 is the end of the date."`
	Yearly     bool       `json:"yearly,omitempty" doc:"true: closes the same months and days each year, from the date from on. 29 February is in leap years only."`
	Reason     string     `json:"reason" required:"false" maxLength:"500" example:"Winter maintenance"`
}

// Closure returns the closure. Errors: problem.ValidationFailed for what is no date, and for half of its hours.
func (s ClosureSpec) Closure() (c Closure, err error) {
	c = Closure{Closure: timetable.Closure{ResourceID: s.ResourceID, Yearly: s.Yearly}, Reason: s.Reason}
	switch {
	case s.Starts == "" && s.Ends != "":
		return c, problem.Invalid("starts", "required", "Give both starts and ends, or neither.")
	case s.Starts != "" && s.Ends == "":
		return c, problem.Invalid("ends", "required", "Give both starts and ends, or neither.")
	case s.Starts != "":
		c.Hours = &timetable.DayInterval{From: timetable.MinuteOf(s.Starts), Until: timetable.MinuteOf(s.Ends)}
	}
	if c.From, err = datetime.ParseDate("from", s.From); err != nil {
		return c, err
	}
	c.To, err = datetime.ParseDate("to", s.To)
	return c, err
}

func (c Closure) spec() ClosureSpec {
	s := ClosureSpec{ResourceID: c.ResourceID, From: c.From.String(), To: c.To.String(), Yearly: c.Yearly,
		Reason: c.Reason}
	if c.Hours != nil {
		s.Starts, s.Ends = timetable.ClockOf(c.Hours.From), timetable.ClockOf(c.Hours.Until)
	}
	return s
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
	c.Closure, c.Reason = given.Closure, given.Reason
	return c, c.Check()
}

// ETag returns the strong entity tag of the closure's version.
func (c Closure) ETag() string { return etag.Of(c.Version) }

// row returns what is stored of a closure.
func (c Closure) row() closureRow {
	row := closureRow{
		ClosureID:  c.ID,
		ResourceID: c.ResourceID,
		FromDate:   c.From,
		ToDate:     c.To,
		Yearly:     c.Yearly,
		Reason:     c.Reason,
		ArchivedAt: c.ArchivedAt,
	}
	if c.Hours != nil {
		row.StartsMinute, row.EndsMinute = new(int32(c.Hours.From)), new(int32(c.Hours.Until))
	}
	return row
}

// closureFromRow returns the closure of a row.
func closureFromRow(row closureRow) Closure {
	c := Closure{
		ID: row.ClosureID,
		Closure: timetable.Closure{
			ResourceID: row.ResourceID, From: row.FromDate, To: row.ToDate, Yearly: row.Yearly,
		},
		Reason:     row.Reason,
		ArchivedAt: row.ArchivedAt,
		Version:    row.Version,
		CreatedAt:  row.CreatedAt,
		UpdatedAt:  row.CreatedAt,
	}
	if row.UpdatedAt != nil {
		c.UpdatedAt = *row.UpdatedAt
	}
	if row.StartsMinute != nil && row.EndsMinute != nil {
		c.Hours = &timetable.DayInterval{From: int(*row.StartsMinute), Until: int(*row.EndsMinute)}
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

// JSONSize returns about how many bytes of JSON the unbounded parts of a closure have. A page ends by it.
func (c Closure) JSONSize() int { return len(c.Reason) }

// Body returns the closure as the API shows it.
func (c Closure) Body() ClosureBody {
	return ClosureBody{
		ID: c.ID, ClosureSpec: c.spec(), ArchivedAt: archivedBody(c.ArchivedAt, c.Version).ArchivedAt,
		Version:   c.Version,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

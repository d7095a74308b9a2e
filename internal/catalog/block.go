package catalog

import (
	"cmp"
	"math"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// Block is time of a resource that is taken without a booking, once or repeatedly. It takes all units of the resource.
type Block struct {
	ID, ResourceID uuid.UUID
	// StartsAt and EndsAt are moments in the tenant's time zone; or From and To are civil dates there, both included.
	// The others are nil.
	StartsAt, EndsAt *time.Time
	From, To         *civil.Date
	// RRule repeats the block (RFC 5545); nil for one time only.
	RRule  *string
	Reason string
	// Times are all times of the block, in order.
	Times []timetable.BlockTime
	// LastDate is the last date that the block touches, as it is stored. Lists are ordered by it.
	LastDate civil.Date
	// ArchivedAt is set for a block that takes nothing any more.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time

	// byNight says that its resource is sold by the night.
	byNight bool
	// Of a block that was just written: the bookings that stand in it, at most maxNamedBookings, and how many there
	// are.
	conflicts     []uuid.UUID
	conflictCount int
}

// BlockSpec is what a tenant says of a block: requests give it, and the API shows it.
type BlockSpec struct {
	ResourceID uuid.UUID `json:"resource_id" format:"uuid"`
	StartsAt   *string   `json:"starts_at,omitempty" maxLength:"40" format:"date-time" example:"2027-07-01T09:00:00+02:00" doc:"RFC 3339 with an offset, to the minute. Give starts_at and ends_at, or from and to."`
	EndsAt     *string   `json:"ends_at,omitempty" maxLength:"40" format:"date-time" example:"2027-07-01T12:00:00+02:00" doc:"At most 62 dates in all."`
	From       *string   `json:"from,omitempty" format:"date" example:"2027-12-24" doc:"First date."`
	To         *string   `json:"to,omitempty" format:"date" example:"2027-12-26" doc:"Last date; at most 62 dates in all, those before a change included."`
	RRule      *string   `json:"rrule,omitempty" minLength:"1" maxLength:"500" example:"FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231" doc:"Repeats the block by the tenant's wall clock: an RRULE (RFC 5545) of FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with COUNT or UNTIL. The first time must be one of the rule's."`
	Reason     string    `json:"reason" required:"false" maxLength:"500" example:"Engine service"`
}

// BlockChange is a BlockSpec in a request.
type BlockChange struct {
	BlockSpec
	Force bool `json:"force,omitempty" doc:"true: take the time although bookings stand in the way. They stay; conflicts names them."`
}

// Block returns the block with its times. Errors: problem.ValidationFailed for times and rules that can't be read, that
// clocks skip, or that don't fit together; problem.TooManyDates for more dates than a transaction may lock.
func (s BlockSpec) Block(loc *time.Location) (b Block, err error) {
	b = Block{ResourceID: s.ResourceID, RRule: s.RRule, Reason: s.Reason}
	if s.Reason != "" {
		if err := problem.CheckText("reason", s.Reason); err != nil {
			return b, err
		}
	}
	if err := bounds.Check("", s); err != nil {
		return b, err
	}
	switch dates, moments := s.From != nil || s.To != nil, s.StartsAt != nil || s.EndsAt != nil; {
	case dates && moments:
		return b, problem.Invalid("from", "excluded", "Leave out from and to, or starts_at and ends_at.")
	case dates:
		err = b.setDates(s)
	case moments:
		err = b.setMoments(s, loc)
	default:
		err = problem.Invalid("starts_at", "required", "Expected starts_at and ends_at, or from and to.")
	}
	if err != nil {
		return b, err
	}
	b.Times, err = b.times(loc)
	return b, err
}

func (b *Block) setDates(s BlockSpec) error {
	switch {
	case s.From == nil:
		return problem.Invalid("from", "required", "Expected the first date.")
	case s.To == nil:
		return problem.Invalid("to", "required", "Expected the last date.")
	}
	from, err := datetime.ParseDate("from", *s.From)
	if err != nil {
		return err
	}
	to, err := datetime.ParseDate("to", *s.To)
	if err != nil {
		return err
	}
	if to.Before(from) {
		err = problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	}
	b.From, b.To = &from, &to
	return cmp.Or(datetime.CheckDate("from", from), datetime.CheckDate("to", to), err)
}

func (b *Block) setMoments(s BlockSpec, loc *time.Location) error {
	switch {
	case s.StartsAt == nil:
		return problem.Invalid("starts_at", "required", "Expected the beginning.")
	case s.EndsAt == nil:
		return problem.Invalid("ends_at", "required", "Expected the end.")
	}
	start, err := parseMinute("starts_at", *s.StartsAt, loc)
	if err != nil {
		return err
	}
	end, err := parseMinute("ends_at", *s.EndsAt, loc)
	if err != nil {
		return err
	}
	if !start.Before(end) {
		return problem.Invalid("ends_at", "not_after_start", "Expected a time after starts_at.")
	}
	b.StartsAt, b.EndsAt = &start, &end
	return nil
}

// parseMinute reads a time without seconds.
func parseMinute(field, text string, loc *time.Location) (time.Time, error) {
	t, err := datetime.ParseLocalTime(field, text, loc)
	switch {
	case err != nil:
		return t, err
	case t.Second() != 0 || t.Nanosecond() != 0:
		return t, problem.Invalid(field, "not_a_minute", "Expected a time without seconds.")
	}
	return t, datetime.CheckDate(field, civil.DateOf(t))
}

// times returns all times of the block. Errors: those of BlockSpec.Block.
func (b Block) times(loc *time.Location) ([]timetable.BlockTime, error) {
	var s timetable.BlockInterval
	if b.From != nil {
		s = timetable.BlockInterval{
			From: timetable.StartOfDate(*b.From, loc), Until: timetable.StartOfDate(b.To.AddDays(1), loc), Whole: true,
		}
	} else {
		s = timetable.BlockInterval{From: *b.StartsAt, Until: *b.EndsAt}
	}
	if !s.From.Before(s.Until) {
		return nil, problem.Invalid("from", "nonexistent_time", "Clocks in the tenant's time zone skip these dates.")
	}
	var rule *timetable.Recurrence
	if b.RRule != nil {
		r, err := timetable.ParseRecurrence(*b.RRule, loc)
		if err != nil {
			return nil, err
		}
		rule = &r
	}
	return s.Times(rule, loc)
}

func (b Block) spec() BlockSpec {
	s := BlockSpec{ResourceID: b.ResourceID, RRule: b.RRule, Reason: b.Reason}
	if b.From != nil {
		s.From, s.To = new(b.From.String()), new(b.To.String())
	} else {
		s.StartsAt, s.EndsAt = new(b.StartsAt.Format(time.RFC3339)), new(b.EndsAt.Format(time.RFC3339))
	}
	return s
}

// ETag returns the strong entity tag of the block's version.
func (b Block) ETag() string { return etag.Of(b.Version) }

// row returns what is stored of a block. Errors: problem.TooManyDates.
func (b Block) row(loc *time.Location) (blockRow, error) {
	dates, err := timetable.BlockedDates(b.Times, loc)
	if err != nil {
		return blockRow{}, err
	}
	longest := time.Duration(0)
	for _, t := range timetable.PerDate(b.Times, loc) {
		longest = max(longest, t.EndsAt.Sub(t.StartsAt))
	}
	return blockRow{
		BlockID:        b.ID,
		ResourceID:     b.ResourceID,
		StartsAt:       b.StartsAt,
		EndsAt:         b.EndsAt,
		FromDate:       b.From,
		ToDate:         b.To,
		Rrule:          b.RRule,
		Reason:         b.Reason,
		FirstDate:      dates[0],
		LastDate:       dates[len(dates)-1],
		LongestMinutes: int32(math.Ceil(longest.Minutes())),
		ArchivedAt:     b.ArchivedAt,
	}, nil
}

// blockFromRow returns the block of a row. It returns an error for a row that can't be read.
func blockFromRow(row blockRow, loc *time.Location) (b Block, err error) {
	b = Block{
		ID:         row.BlockID,
		ResourceID: row.ResourceID,
		From:       row.FromDate,
		To:         row.ToDate,
		RRule:      row.Rrule,
		Reason:     row.Reason,
		LastDate:   row.LastDate,
		ArchivedAt: row.ArchivedAt,
		Version:    row.Version,
		CreatedAt:  row.CreatedAt,
		UpdatedAt:  row.UpdatedAt,
	}
	if row.StartsAt != nil {
		b.StartsAt, b.EndsAt = new(row.StartsAt.In(loc)), new(row.EndsAt.In(loc))
	}
	if b.Times, err = b.times(loc); err != nil && b.RRule != nil {
		// Newer time zone rules have put the first time on a date that isn't the rule's. What the block takes are its
		// claims.
		once := b
		once.RRule = nil
		b.Times, err = once.times(loc)
	}
	return b, err
}

// BlockBody is a block.
type BlockBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	BlockSpec
	Times      []timetable.BlockTime `json:"times" nullable:"false" doc:"All times of the block, in order."`
	ArchivedAt *time.Time            `json:"archived_at,omitempty" doc:"Since when it takes nothing any more; absent if it does."`
	Version    int64                 `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt  time.Time             `json:"created_at"`
	UpdatedAt  time.Time             `json:"updated_at"`
	// Conflicts and ConflictCount are of responses to changes with force.
	Conflicts     []uuid.UUID `json:"conflicts,omitempty" format:"uuid" doc:"In the answer to a change with force: the bookings that stand in the block, by their beginning; at most 100. The resource's conflicts list them as long as they do."`
	ConflictCount int         `json:"conflict_count,omitempty" doc:"How many bookings those are." example:"3"`
}

// JSONSize returns about how many bytes of JSON the unbounded parts of a block have. A page ends by it.
func (b Block) JSONSize() int {
	const blockTime = 80
	return len(b.Reason) + blockTime*len(b.Times)
}

// Body returns the block as the API shows it.
func (b Block) Body() BlockBody {
	return BlockBody{
		ID:            b.ID,
		BlockSpec:     b.spec(),
		Times:         b.Times,
		ArchivedAt:    archivedBody(b.ArchivedAt, b.Version).ArchivedAt,
		Version:       b.Version,
		CreatedAt:     b.CreatedAt.UTC(),
		UpdatedAt:     b.UpdatedAt.UTC(),
		Conflicts:     b.conflicts,
		ConflictCount: b.conflictCount,
	}
}

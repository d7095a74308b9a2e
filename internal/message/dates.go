package message

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/settings"
)

// dates are some dates in a row, the first and the last one included. stillOn means also the bookings that began before
// the first and go on then.
type dates struct {
	first, last civil.Date
	stillOn     bool
}

// margin is how many days a window is widened by at each end: a customer's date differs from the tenant's by one, and
// clocks skip a whole date.
const margin = 2

// datesWithMessages returns the dates of bookings that may have a reminder or a follow-up in a window.
func datesWithMessages(s settings.Settings, reminders []event.Reminder, w window, loc *time.Location) []dates {
	var list []dates
	for _, r := range reminders {
		shift := time.Duration(r.BeforeMinutes) * time.Minute
		list = append(list, dates{
			first: dateOf(w.after.Add(shift), loc).AddDays(r.DaysBefore - margin),
			last:  dateOf(w.until.Add(shift), loc).AddDays(r.DaysBefore + margin),
		})
	}
	list = union(list)
	if s.FollowUpMinutes > 0 {
		shift := -time.Duration(s.FollowUpMinutes) * time.Minute
		list = append(list, dates{dateOf(w.after.Add(shift), loc).AddDays(-margin),
			dateOf(w.until.Add(shift), loc).AddDays(margin), true})
	}
	return list
}

// anniversaryDates returns the dates of bookings that may have an anniversary in a window, back to the oldest booking.
func (s *Service) anniversaryDates(
	ctx context.Context, tenant uuid.UUID, of booking.RowFilter, w window, loc *time.Location,
) ([]dates, error) {
	of.From, of.To, of.Limit = civil.Date{Year: 1, Month: 1, Day: 1}, civil.Date{Year: 9999, Month: 12, Day: 31}, 1
	of.AfterDate = civil.Date{Year: 1, Month: 1, Day: 1}.AddDays(-1)
	oldest, err := booking.ListRows(ctx, s.db, tenant, of)
	if err != nil || len(oldest) == 0 {
		return nil, err
	}
	return yearsBefore(dateOf(w.after, loc).AddDays(-margin), dateOf(w.until, loc).AddDays(margin),
		oldest[0].Date.Year), nil
}

// yearsBefore returns dates of the years before, back to a year. 29 February is among the dates of which 28 February is
// the anniversary.
func yearsBefore(first, last civil.Date, back int) (list []dates) {
	for years := 1; last.Year-years >= back; years++ {
		list = append(list, dates{first: before(first, years), last: before(last, years).AddDays(1)})
	}
	return union(list)
}

// before returns a date some years before, 28 February for a 29 February that isn't there.
func before(d civil.Date, years int) civil.Date {
	d.Year -= years
	if !d.IsValid() {
		d.Day = 28
	}
	return d
}

// union joins dates that overlap or follow each other.
func union(list []dates) (joined []dates) {
	slices.SortFunc(list, func(a, b dates) int { return cmp.Compare(a.first.DaysSince(b.first), 0) })
	for _, d := range list {
		if n := len(joined); n > 0 && !d.first.After(joined[n-1].last.AddDays(1)) {
			if d.last.After(joined[n-1].last) {
				joined[n-1].last = d.last
			}
			continue
		}
		joined = append(joined, d)
	}
	return joined
}

// pageOfBookings is how many bookings are read at once.
const pageOfBookings = 200

// bookingsPage returns the bookings on dates that follow a booking, at most pageOfBookings.
func (s *Service) bookingsPage(
	ctx context.Context, tenant uuid.UUID, of booking.RowFilter, on dates, after position,
) ([]booking.Booking, error) {
	of.From, of.To, of.StillOn, of.Limit = on.first, on.last, on.stillOn, pageOfBookings
	of.AfterDate, of.AfterID = after.Date, after.ID
	if after.ID == uuid.Nil {
		of.AfterDate = civil.Date{Year: 1, Month: 1, Day: 1}
	}
	rows, err := booking.ListRows(ctx, s.db, tenant, of)
	if err != nil {
		return nil, err
	}
	list := make([]booking.Booking, len(rows))
	for i := range rows {
		if list[i], err = booking.FromRow(&rows[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// position is a booking in a list by date and id.
type position struct {
	Date civil.Date `json:"date,omitzero"`
	ID   uuid.UUID  `json:"id,omitzero"`
}

// eachBooking calls do with each booking on dates.
func (s *Service) eachBooking(
	ctx context.Context, tenant uuid.UUID, of booking.RowFilter, all []dates, do func(booking.Booking) error,
) error {
	for _, on := range all {
		for at := (position{}); ; {
			page, err := s.bookingsPage(ctx, tenant, of, on, at)
			if err != nil {
				return err
			}
			for _, b := range page {
				if err := do(b); err != nil {
					return err
				}
			}
			if len(page) < pageOfBookings {
				break
			}
			at = position{page[len(page)-1].Date, page[len(page)-1].ID}
		}
	}
	return nil
}

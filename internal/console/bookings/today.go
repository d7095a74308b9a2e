package bookings

import (
	"net/http"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/operation"
)

// maxOfDay is how many bookings of a day a page shows.
const maxOfDay = 500

// todayPage are the bookings of a day.
type todayPage struct {
	Date           civil.Date
	Today          bool
	Previous, Next string
	Rows           []frame.BookingRow
	People         int
	More           bool // there are more than the page shows
	HandBack       frame.ToHandBack
	Overpaid       overpaidBookings
	Checklist      []checklistStep
}

// overpaidBookings are bookings from today on of which too much was paid, such as those that their customers moved to a
// cheaper date.
type overpaidBookings struct {
	Rows []frame.BookingRow
	More bool // there may be more than the page shows
}

// maxOverpaid is how many of them a page shows.
const maxOverpaid = 20

func (s section) overpaidFrom(v *frame.Visit, date civil.Date) (found overpaidBookings, err error) {
	overpaid := true
	list, last, err := s.Bookings.ListPaid(v.Context(), v.Tenant(),
		booking.Filter{From: &date, Overpaid: &overpaid, Limit: maxOverpaid})
	if err != nil {
		return found, err
	}
	found.More = last != nil
	found.Rows, err = s.Rows(v, list)
	return found, err
}

func (s section) showToday(v *frame.Visit) error {
	today := civil.DateOf(time.Now().In(v.Tenant().Location))
	date := today
	if text := v.Query.Get("date"); text != "" {
		var err error
		if date, err = datetime.ParseDate("date", text); err != nil {
			return err
		}
	}
	list, err := s.Bookings.List(v.Context(), v.Tenant(), booking.Filter{From: &date, To: &date, Limit: maxOfDay + 1})
	if err != nil {
		return err
	}
	page := todayPage{
		Date: date, Today: date == today, Previous: v.Path() + "?date=" + date.AddDays(-1).String(),
		Next: v.Path() + "?date=" + date.AddDays(1).String(), More: len(list) > maxOfDay,
	}
	if page.Today && v.May(operation.ScopeMoney) {
		if page.HandBack, err = s.ToHandBack(v); err != nil {
			return err
		}
		if page.Overpaid, err = s.overpaidFrom(v, date); err != nil {
			return err
		}
	}
	if page.Rows, err = s.Rows(v, list[:min(len(list), maxOfDay)]); err != nil {
		return err
	}
	if page.Today && len(list) == 0 {
		if page.Checklist, err = s.checklist(v); err != nil {
			return err
		}
	}
	for _, r := range page.Rows {
		if r.Status == booking.Confirmed || r.Status == booking.Completed {
			page.People += r.PartySize
		}
	}
	return s.Render(v, http.StatusOK, "today", frame.Day(date), page)
}

package console

import (
	"net/http"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
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
	Rows           []bookingRow
	People         int
	More           bool // there are more than the page shows
	HandBack       toHandBack
	Overpaid       overpaidBookings
}

// overpaidBookings are bookings from today on of which too much was paid, such as those that their customers moved to a cheaper date.
type overpaidBookings struct {
	Rows []bookingRow
	More bool // there may be more than the page shows
}

// maxOverpaid is how many of them a page shows.
const maxOverpaid = 20

func (c *Console) overpaidFrom(v *visit, date civil.Date) (found overpaidBookings, err error) {
	overpaid := true
	list, last, err := c.Bookings.ListPaid(v.ctx(), v.tenant(), booking.Filter{From: &date, Overpaid: &overpaid, Limit: maxOverpaid})
	if err != nil {
		return found, err
	}
	found.More = last != nil
	found.Rows, err = c.rows(v, list)
	return found, err
}

func (c *Console) showToday(v *visit) error {
	today := civil.DateOf(time.Now().In(v.tenant().Location))
	date := today
	if text := v.Query.Get("date"); text != "" {
		var err error
		if date, err = datetime.ParseDate("date", text); err != nil {
			return err
		}
	}
	list, err := c.Bookings.List(v.ctx(), v.tenant(), booking.Filter{From: &date, To: &date, Limit: maxOfDay + 1})
	if err != nil {
		return err
	}
	page := todayPage{
		Date: date, Today: date == today, Previous: v.path() + "?date=" + date.AddDays(-1).String(),
		Next: v.path() + "?date=" + date.AddDays(1).String(), More: len(list) > maxOfDay,
	}
	if page.Today && v.May(operation.ScopeMoney) {
		if page.HandBack, err = c.toHandBack(v); err != nil {
			return err
		}
		if page.Overpaid, err = c.overpaidFrom(v, date); err != nil {
			return err
		}
	}
	if page.Rows, err = c.rows(v, list[:min(len(list), maxOfDay)]); err != nil {
		return err
	}
	for _, r := range page.Rows {
		if r.Status == booking.Confirmed || r.Status == booking.Completed {
			page.People += r.PartySize
		}
	}
	return c.render(v, http.StatusOK, "today", day(date), page)
}

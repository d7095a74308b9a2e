package money

import (
	"cmp"
	"net/http"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// tillPage are the sums of offline money by date and method.
type tillPage struct {
	Links          []web.NavLink
	Path           string
	From, To       string
	Previous, Next string
	Rows           []tillRow
}

// tillRow is the offline money of a day that moved by one method.
type tillRow struct {
	payment.OfflineSumBody

	Day civil.Date
}

// Kept is what was received less what was handed back.
func (r tillRow) Kept() int64 { return r.Received - r.Refunded }

// daysOf returns the days that a page's fields ask for, and otherwise the one that it is in the tenant's zone. Errors:
// problem.ValidationFailed.
func daysOf(v *frame.Visit) (days payment.Days, err error) {
	today := civil.DateOf(time.Now().In(v.Tenant().Location)).String()
	from := cmp.Or(v.Query.Get("from"), v.Query.Get("to"), today)
	if days.From, err = datetime.ParseDate("from", from); err != nil {
		return days, err
	}
	days.To, err = datetime.ParseDate("to", cmp.Or(v.Query.Get("to"), from))
	return days, err
}

func (s section) showTill(v *frame.Visit) error {
	days, err := daysOf(v)
	if err != nil {
		return err
	}
	sums, err := s.Payments.OfflineDays(v.Context(), v.Tenant().ID, v.Tenant().Location, days)
	if err != nil {
		return err
	}
	page := tillPage{
		Links: moneyLinks(v), Path: v.Path("payments", "till"), From: days.From.String(), To: days.To.String(),
	}
	before, after := days.From.AddDays(-1).String(), days.To.AddDays(1).String()
	page.Previous, page.Next = page.Path+"?from="+before+"&to="+before, page.Path+"?from="+after+"&to="+after
	if page.Rows, err = tillRows(sums.Sums); err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "till", "Till", page)
}

func tillRows(sums []payment.OfflineSumBody) (rows []tillRow, err error) {
	for _, sum := range sums {
		row := tillRow{OfflineSumBody: sum}
		if row.Day, err = civil.ParseDate(sum.Date); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

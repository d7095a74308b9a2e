package console

import (
	"html/template"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// words are what templates write dates, amounts and states with. The console is in English, as the API and its refusals are.
var words = template.FuncMap{
	"day": day, "shortDay": shortDay, "moment": moment, "clock": datetime.Clock, "when": when, "people": people,
	"event": eventWords, "method": methodWords,
}

// doneWords say what has just happened, by what a redirect carries.
var doneWords = map[string]string{
	"account_made":      "The account is made. Now tell the provider what it wants to know.",
	"added":             "It is added.",
	"archived":          "It is archived.",
	"blocked":           "The time is blocked.",
	"booked":            "The booking is made.",
	"cancel":            "The booking is cancelled.",
	"changed":           "The change is saved.",
	"completed":         "The booking is completed.",
	"confirmed":         "The booking is confirmed.",
	"credited":          "The credit is added.",
	"customer_archived": "The customer is in no list any more.",
	"customer_erased":   "The personal data are erased.",
	"customer_listed":   "The customer is listed again.",
	"customer_made":     "The customer is made.",
	"customer_merged":   "The customers are one now.",
	"debited":           "The credit is spent.",
	"deleted":           "The webhook endpoint is deleted.",
	"event_cancelled":   "The event is cancelled.",
	"handed_back":       "It is recorded that the money was handed back.",
	"invited":           "The person is invited.",
	"logo":              "The logo is saved. Your booking page shows it within ten seconds.",
	"logo_removed":      "The logo is removed.",
	"made":              "It is made.",
	"moved":             "The booking is moved.",
	"new_link":          "The former link has ended. The booking has another one.",
	"no-show":           "It is recorded that nobody came.",
	"payment_cancelled": "The payment is cancelled.",
	"payment_ending":    "The payment can’t be cancelled yet. It will be as soon as possible, unless it succeeds first.",
	"pinged":            "A test event is on its way.",
	"recorded":          "The payment is recorded.",
	"refund_open":       "The refund has begun. The payment provider hasn’t said yet how it ends.",
	"refunded":          "The refund is made.",
	"removed":           "The user is removed and signed out.",
	"replayed":          "It is done again, now.",
	"revoked":           "The API key is revoked.",
	"settings":          "The settings are saved.",
	"transferred":       "The credit is transferred.",
	"unarchived":        "It is no longer archived.",
	"wallet_made":       "The wallet is made.",
}

// day returns "Friday 4 December 2026", and shortDay "Fri 4 Dec".
func day(d civil.Date) string      { return d.In(time.UTC).Format("Monday 2 January 2006") }
func shortDay(d civil.Date) string { return d.In(time.UTC).Format("Mon 2 Jan") }

// moment returns date and time of day of t in its location.
func moment(t time.Time) string { return t.Format("Mon 2 Jan 2006, ") + datetime.Clock(t) }

// when returns when a booking is: dates alone if it is for whole dates.
func when(b booking.Booking) string {
	start, end := b.StartsAt.In(b.Location), b.EndsAt.In(b.Location)
	if b.WholeDates() {
		end = end.Add(-time.Second) // not a day: its midnight may be one that clocks skip
	}
	first, last := civil.DateOf(start), civil.DateOf(end)
	switch {
	case b.Nights > 0:
		return day(first) + " to " + day(civil.DateOf(b.EndsAt.In(b.Location)))
	case b.WholeDates() && first == last:
		return day(first)
	case b.WholeDates():
		return day(first) + " to " + day(last)
	case first == last:
		return day(first) + ", " + datetime.Clock(start) + "–" + datetime.Clock(end)
	default:
		return moment(start) + " to " + moment(end)
	}
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return strconv.Itoa(n) + " people"
}

// refusalWords says why something is refused: of fields that don't fit, what is wrong with them.
func refusalWords(d *problem.Error) string {
	if len(d.Fields) == 0 {
		return d.Detail
	}
	texts := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		texts[i] = f.Detail
	}
	return strings.Join(texts, " ")
}

// eventWords returns the kind of a scheduled event, such as booking.reminder.
func eventWords(kind string) string { return web.Named(strings.ReplaceAll(kind, ".", " ")) }

// methodWords returns how offline money moved, in words.
func methodWords(m payment.OfflineMethod) string {
	switch m {
	case payment.Cash:
		return "Cash"
	case payment.BankTransfer:
		return "Bank transfer"
	case payment.CardTerminal:
		return "Card terminal"
	default:
		return ""
	}
}

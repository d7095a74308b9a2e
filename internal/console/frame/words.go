package frame

import (
	"html/template"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// words are what templates write dates, amounts and states with. The console is in English, as the API and its refusals
// are.
var words = template.FuncMap{
	"day": Day, "shortDay": shortDay, "moment": Moment, "clock": datetime.Clock, "when": when, "people": People,
	"event": EventWords, "method": methodWords,
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

// Day returns "Friday 4 December 2026", and shortDay "Fri 4 Dec".
func Day(d civil.Date) string      { return d.In(time.UTC).Format("Monday 2 January 2006") }
func shortDay(d civil.Date) string { return d.In(time.UTC).Format("Mon 2 Jan") }

// Moment returns date and time of day of t in its location.
func Moment(t time.Time) string { return t.Format("Mon 2 Jan 2006, ") + datetime.Clock(t) }

// when returns when a booking is: dates alone if it is for whole dates.
func when(b booking.Booking) string {
	start, end := b.StartsAt.In(b.Location), b.EndsAt.In(b.Location)
	if b.WholeDates() {
		end = end.Add(-time.Second) // not a day: its midnight may be one that clocks skip
	}
	first, last := civil.DateOf(start), civil.DateOf(end)
	switch {
	case b.Nights > 0:
		return Day(first) + " to " + Day(civil.DateOf(b.EndsAt.In(b.Location)))
	case b.WholeDates() && first == last:
		return Day(first)
	case b.WholeDates():
		return Day(first) + " to " + Day(last)
	case first == last:
		return Day(first) + ", " + datetime.Clock(start) + "–" + datetime.Clock(end)
	default:
		return Moment(start) + " to " + Moment(end)
	}
}

// People says how many people there are.
func People(n int) string {
	if n == 1 {
		return "1 person"
	}
	return strconv.Itoa(n) + " people"
}

// EventWords returns the kind of a scheduled event, such as booking.reminder.
func EventWords(kind string) string { return web.Named(strings.ReplaceAll(kind, ".", " ")) }

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

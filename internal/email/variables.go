package email

import (
	"strconv"
	"time"

	"holdfast/internal/datetime"
)

// Data is what an email tells. A field that doesn't apply is left empty, and so are its variables.
type Data struct {
	// Language is one of Languages. Dates, amounts and other words are in it, in English if it is empty.
	Language     Language
	TenantName   string
	CustomerName string
	// Contact is how people reach the tenant, and Address where they come. They may have several lines.
	Contact, Address string

	// Reference is what customer and tenant call the booking: its reference or, without one, its code.
	Reference    string
	ServiceName  string
	ResourceName string
	// Starts and Ends bound the booking, in the booking's time zone. Ends is exclusive.
	Starts, Ends time.Time
	// AllDay says that the booking is for whole dates.
	AllDay    bool
	PartySize int

	// Overpaid is what was paid too much, and isn't on its way back.
	Price, Paid, Refunded, Due, Overpaid Amount
	// Payment is the amount of the payment or refund that the email tells of.
	Payment Amount
	// PaymentMethod is how it was paid or given back; empty if that isn't known.
	PaymentMethod Method
	// HoldExpiresAt is when a hold ends, in the booking's time zone.
	HoldExpiresAt time.Time
	// Years is how many years ago the booking was.
	Years int

	// ManageURL leads to the page on which the customer sees, pays, moves and cancels the booking.
	ManageURL string
	// UnsubscribeURL ends greetings and follow-ups to this customer.
	UnsubscribeURL string
}

// Amount is an amount of money. The zero value says nothing.
type Amount struct {
	// Minor is in minor units of the currency.
	Minor int64
	// Currency is an ISO 4217 code.
	Currency string
}

// variables is the one table of what templates may use.
var variables = []struct {
	name  string
	of    func(Kind) bool // the kinds that have the variable
	value func(Data) string
}{
	{"tenant_name", every, func(d Data) string { return d.TenantName }},
	{"customer_name", every, func(d Data) string { return d.CustomerName }},
	{"contact", every, func(d Data) string { return newlines(d.Contact) }},
	{"address", every, func(d Data) string { return newlines(d.Address) }},
	{"reference", ofBooking, func(d Data) string { return d.Reference }},
	{"service_name", ofBooking, func(d Data) string { return d.ServiceName }},
	{"resource_name", ofBooking, func(d Data) string { return d.ResourceName }},
	{"when", ofBooking, Data.when},
	{"starts_at", ofBooking, func(d Data) string { return d.moment(d.Starts) }},
	{"ends_at", ofBooking, func(d Data) string { return d.moment(d.last()) }},
	{"date", ofBooking, func(d Data) string { return d.date(d.Starts) }},
	{"iso_date", ofBooking, func(d Data) string { return isoDate(d.Starts) }},
	{"start_time", ofBooking, func(d Data) string { return d.clock(d.Starts) }},
	{"end_time", ofBooking, func(d Data) string { return d.clock(d.Ends) }},
	{"time_zone", ofBooking, Data.timeZone},
	{"party_size", ofBooking, func(d Data) string { return count(d.PartySize) }},
	{"price", ofBooking, func(d Data) string { return d.amount(d.Price) }},
	{"amount_paid", ofBooking, func(d Data) string { return d.amount(d.Paid) }},
	{"amount_refunded", ofBooking, func(d Data) string { return d.amount(d.Refunded) }},
	{"amount_due", ofBooking, func(d Data) string { return d.amount(d.Due) }},
	{"amount_overpaid", tellsSurplus, func(d Data) string { return d.amount(d.Overpaid) }},
	{"payment_amount", Kind.OfPayment, func(d Data) string { return d.amount(d.Payment) }},
	{"payment_method", paid, func(d Data) string { return d.words().methods[d.PaymentMethod] }},
	{"refunded_to", only(PaymentRefunded), func(d Data) string { return d.words().refundedTo[d.PaymentMethod] }},
	{"hold_expires_at", only(BookingHeld), func(d Data) string { return d.dateAndTime(d.HoldExpiresAt) }},
	{"years", only(BookingAnniversary), func(d Data) string { return count(d.Years) }},
	{"manage_url", Kind.Links, func(d Data) string { return d.ManageURL }},
	{"unsubscribe_url", Kind.Unsubscribable, func(d Data) string { return d.UnsubscribeURL }},
}

func every(Kind) bool                { return true }
func paid(k Kind) bool               { return k == PaymentSucceeded || k == PaymentDeclined }
func tellsSurplus(k Kind) bool       { return k == BookingRescheduled || k.OfPayment() }
func ofBooking(k Kind) bool          { return k != CustomerBirthday }
func only(kind Kind) func(Kind) bool { return func(k Kind) bool { return k == kind } }

// Variables returns the names of the variables that a template of the kind may use.
func Variables(kind Kind) []string {
	var found []string
	for _, v := range variables {
		if v.of(kind) {
			found = append(found, v.name)
		}
	}
	return found
}

// values returns the values of the kind's variables.
func (d Data) values(kind Kind) map[string]string {
	found := map[string]string{}
	for _, v := range variables {
		if v.of(kind) {
			found[v.name] = v.value(d)
		}
	}
	return found
}

func (d Data) words() words { return wordsIn(d.Language) }

// amount returns an amount as people write it, with the decimals of its currency; empty for the zero value.
func (d Data) amount(a Amount) string {
	if a.Currency == "" {
		return ""
	}
	return d.words().amount.FormatCode(a.Minor, a.Currency)
}

// when returns the whole interval, as short as it can be said.
func (d Data) when() string {
	first, last := d.date(d.Starts), d.date(d.last())
	to := " " + d.words().to + " "
	switch {
	case first == "":
		return ""
	case first != last:
		return d.moment(d.Starts) + to + d.moment(d.last())
	case d.AllDay:
		return first
	default:
		return d.moment(d.Starts) + to + d.clock(d.Ends)
	}
}

// last returns the last moment of the booking that a reader expects to see: its end, or for whole dates its last date.
func (d Data) last() time.Time {
	if !d.AllDay || !dateOf(d.Ends).After(dateOf(d.Starts)) {
		return d.Ends
	}
	return d.Ends.Add(-time.Second) // not a day: its midnight may be one that clocks skip
}

func (d Data) moment(t time.Time) string {
	if d.AllDay {
		return d.date(t)
	}
	return d.dateAndTime(t)
}

func (d Data) clock(t time.Time) string {
	if d.AllDay {
		return ""
	}
	if t.IsZero() {
		return ""
	}
	return datetime.Clock(t)
}

func (d Data) timeZone() string {
	if d.Starts.IsZero() {
		return ""
	}
	return d.Starts.Location().String()
}

// isoDate is empty for the zero time.
func isoDate(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// date returns the date of t in words.
func (d Data) date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return d.words().dateOf(t)
}

// dateAndTime returns date and time of day.
func (d Data) dateAndTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return d.date(t) + ", " + datetime.Clock(t)
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

package email

import (
	"strconv"
	"time"

	"holdfast/internal/amount"
	"holdfast/internal/datetime"
)

// Data is what an email tells. A field that doesn't apply is left empty, and so are its variables.
type Data struct {
	TenantName   string
	CustomerName string

	// Reference is what customer and tenant call the booking: its reference or, without one, its code.
	Reference    string
	ServiceName  string
	ResourceName string
	// Starts and Ends bound the booking, in the booking's time zone. Ends is exclusive.
	Starts, Ends time.Time
	// AllDay says that the booking is for whole dates.
	AllDay    bool
	PartySize int

	Price, Paid, Refunded, Due Amount
	// Payment is the amount of the payment or refund that the email tells of.
	Payment Amount
	// PaymentMethod is how it was paid, and RefundedTo where a refund goes, in words.
	PaymentMethod, RefundedTo string
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

// String returns the amount with the decimals of its currency, such as "1,234.50 EUR".
func (a Amount) String() string {
	if a.Currency == "" {
		return ""
	}
	return amount.Format(a.Minor, a.Currency)
}

// variables is the one table of what templates may use.
var variables = []struct {
	name  string
	of    func(Kind) bool // the kinds that have the variable
	value func(Data) string
}{
	{"tenant_name", every, func(d Data) string { return d.TenantName }},
	{"customer_name", every, func(d Data) string { return d.CustomerName }},
	{"reference", ofBooking, func(d Data) string { return d.Reference }},
	{"service_name", ofBooking, func(d Data) string { return d.ServiceName }},
	{"resource_name", ofBooking, func(d Data) string { return d.ResourceName }},
	{"when", ofBooking, Data.when},
	{"starts_at", ofBooking, func(d Data) string { return d.moment(d.Starts) }},
	{"ends_at", ofBooking, func(d Data) string { return d.moment(d.last()) }},
	{"date", ofBooking, func(d Data) string { return format(d.Starts, dateLayout) }},
	{"iso_date", ofBooking, func(d Data) string { return format(d.Starts, time.DateOnly) }},
	{"start_time", ofBooking, func(d Data) string { return d.clock(d.Starts) }},
	{"end_time", ofBooking, func(d Data) string { return d.clock(d.Ends) }},
	{"time_zone", ofBooking, Data.timeZone},
	{"party_size", ofBooking, func(d Data) string { return count(d.PartySize) }},
	{"price", ofBooking, func(d Data) string { return d.Price.String() }},
	{"amount_paid", ofBooking, func(d Data) string { return d.Paid.String() }},
	{"amount_refunded", ofBooking, func(d Data) string { return d.Refunded.String() }},
	{"amount_due", ofBooking, func(d Data) string { return d.Due.String() }},
	{"payment_amount", Kind.OfPayment, func(d Data) string { return d.Payment.String() }},
	{"payment_method", paid, func(d Data) string { return d.PaymentMethod }},
	{"refunded_to", only(PaymentRefunded), func(d Data) string { return d.RefundedTo }},
	{"hold_expires_at", only(BookingHeld), func(d Data) string { return formatMoment(d.HoldExpiresAt) }},
	{"years", only(BookingAnniversary), func(d Data) string { return count(d.Years) }},
	{"manage_url", Kind.Links, func(d Data) string { return d.ManageURL }},
	{"unsubscribe_url", Kind.Unsubscribable, func(d Data) string { return d.UnsubscribeURL }},
}

func every(Kind) bool                { return true }
func paid(k Kind) bool               { return k == PaymentSucceeded || k == PaymentDeclined }
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

const dateLayout = "Monday 2 January 2006"

// when returns the whole interval, as short as it can be said.
func (d Data) when() string {
	first, last := format(d.Starts, dateLayout), format(d.last(), dateLayout)
	switch {
	case first == "":
		return ""
	case first != last:
		return d.moment(d.Starts) + " to " + d.moment(d.last())
	case d.AllDay:
		return first
	default:
		return d.moment(d.Starts) + " to " + d.clock(d.Ends)
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
		return format(t, dateLayout)
	}
	return formatMoment(t)
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

func format(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// formatMoment returns date and time of day.
func formatMoment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(dateLayout) + ", " + datetime.Clock(t)
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

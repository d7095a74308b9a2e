package settings

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Tenant is a tenant with its settings.
type Tenant struct {
	ID        uuid.UUID
	Slug      string
	Name      string
	TimeZone  string
	Currency  string
	Settings  Settings
	Templates map[email.Kind]email.Template
	// LogoHash names the logo; empty without one.
	LogoHash string
	// Version grows with every change of the name, the settings, the templates and the logo.
	Version   int64
	CreatedAt time.Time
}

// ETag returns the strong entity tag of the version.
func (t Tenant) ETag() string { return etag.Of(t.Version) }

// Spec is what a tenant says of itself: requests give it, and the API shows it.
type Spec struct {
	Name             string         `json:"name" minLength:"1" maxLength:"200" example:"Harbour Tours"`
	Reminders        []ReminderBody `json:"reminders" required:"false" maxItems:"10" nullable:"false" doc:"Sent before bookings; a service can have its own in their place."`
	BalanceDue       *ReminderBody  `json:"balance_due,omitempty" doc:"When to remind of what is still to pay; absent if never."`
	FollowUpMinutes  int            `json:"follow_up_minutes,omitempty" minimum:"0" maximum:"525600" example:"1440" doc:"After the booking's end; absent if no follow-up is sent."`
	Greetings        GreetingsBody  `json:"greetings" required:"false"`
	Email            EmailBody      `json:"email" required:"false"`
	PaymentEmails    PaymentEmails  `json:"payment_emails" required:"false" doc:"Which emails tell customers of their payments; none unless you say so."`
	OwnerEmails      []OwnerEmail   `json:"owner_emails" required:"false" maxItems:"10" nullable:"false" doc:"Addresses of your own that are told of changes, whoever made them."`
	UniqueReferences bool           `json:"unique_references" required:"false" doc:"true: from now on no booking gets a reference, or an external_reference, that another one has. Bookings that share one keep it."`
	BookingPage      BookingPage    `json:"booking_page" required:"false"`
	Website          WebsiteBody    `json:"website" required:"false"`
}

// WebsiteBody is where the tenant's visitors book.
type WebsiteBody struct {
	Origins []tenant.Origin `json:"origins" required:"false" maxItems:"20" nullable:"false" doc:"Origins whose pages may use the tenant's publishable API keys, as browsers send them: scheme, host and port. https, or http on localhost and 127.0.0.1."`
	Limits  VisitorLimits   `json:"limits" required:"false" doc:"What visitors take at once, at most, on the booking page and with publishable API keys. What you book yourself has no such limits."`
}

// Body is a tenant with its settings, as the API shows it.
type Body struct {
	ID   uuid.UUID `json:"id" format:"uuid"`
	Slug string    `json:"slug" example:"harbour"`
	Spec
	TimeZone  string    `json:"time_zone" example:"Europe/Berlin"`
	Currency  string    `json:"currency" example:"EUR"`
	Logo      string    `json:"logo,omitempty" example:"/book/harbour/logo/4fa0c1de62b7893f" doc:"Where this server has the logo, which PUT /v1/tenant/logo sets; absent without one."`
	Version   int64     `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt time.Time `json:"created_at"`
}

// ReminderBody says when a reminder of a booking is sent.
type ReminderBody struct {
	BeforeMinutes int    `json:"before_minutes,omitempty" minimum:"1" maximum:"525600" example:"120" doc:"Before the booking starts. Either this, or days_before and at."`
	DaysBefore    *int   `json:"days_before,omitempty" minimum:"0" maximum:"365" example:"1" doc:"Before the booking's date; 0 is the date itself."`
	At            string `json:"at,omitempty" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"18:00" doc:"Wall-clock time in the tenant's time zone."`
}

// GreetingsBody says which greetings are sent.
type GreetingsBody struct {
	Birthday    bool `json:"birthday" required:"false"`
	Anniversary bool `json:"anniversary" required:"false"`
}

// EmailBody says how emails are sent.
type EmailBody struct {
	From      *AddressBody   `json:"from,omitempty" doc:"The sender; without one no emails are sent."`
	Templates []TemplateBody `json:"templates" required:"false" maxItems:"20" nullable:"false" doc:"Templates of your own, in place of Holdfast's."`
}

// AddressBody is a mailbox.
type AddressBody struct {
	Name  string `json:"name,omitempty" maxLength:"200" example:"Harbour Tours"`
	Email string `json:"email" maxLength:"254" example:"booking@harbour.example"`
}

// TemplateKind is a kind of email whose text a tenant may have of its own: each kind but the withdrawal of a booking.
type TemplateKind email.Kind

// Values returns every kind there is.
func (TemplateKind) Values() (list []string) {
	for _, kind := range email.Kinds() {
		if kind != email.BookingWithdrawn {
			list = append(list, string(kind))
		}
	}
	return list
}

// TemplateBody is how the emails of a kind read.
type TemplateBody struct {
	Template TemplateKind `json:"template" doc:"Kind of email."`
	Subject  string       `json:"subject,omitempty" example:"See you soon, {{customer_name}}"`
	Text     string       `json:"text,omitempty" example:"Hello {{customer_name}}, we look forward to {{service_name}} on {{date}}."`
	HTML     string       `json:"html,omitempty" example:"<p>Hello {{customer_name}}</p>" doc:"Values are escaped."`
}

// Body returns the tenant as the API shows it.
func (t Tenant) Body() Body {
	return Body{
		ID:        t.ID,
		Slug:      t.Slug,
		Spec:      t.spec(),
		TimeZone:  t.TimeZone,
		Currency:  t.Currency,
		Logo:      t.LogoPath(),
		Version:   t.Version,
		CreatedAt: t.CreatedAt.UTC(),
	}
}

func (t Tenant) spec() Spec {
	s := t.Settings
	spec := Spec{
		Name:             t.Name,
		Reminders:        ReminderBodies(s.Reminders),
		FollowUpMinutes:  s.FollowUpMinutes,
		Greetings:        GreetingsBody(s.Greetings),
		Email:            EmailBody{Templates: []TemplateBody{}},
		UniqueReferences: s.UniqueReferences,
		BookingPage:      s.BookingPage,
		PaymentEmails:    s.PaymentEmails,
		OwnerEmails:      append([]OwnerEmail{}, s.OwnerEmails...),
		Website: WebsiteBody{Origins: append([]tenant.Origin{}, s.Website.Origins...),
			Limits: s.Website.Limits},
	}
	if s.BalanceDue != nil {
		due := reminderBody(*s.BalanceDue)
		spec.BalanceDue = &due
	}
	if s.From != nil {
		from := AddressBody(*s.From)
		spec.Email.From = &from
	}
	for _, kind := range slices.Sorted(maps.Keys(t.Templates)) {
		own := t.Templates[kind]
		spec.Email.Templates = append(spec.Email.Templates,
			TemplateBody{Template: TemplateKind(kind), Subject: own.Subject, Text: own.Text,
				HTML: own.HTML})
	}
	return spec
}

// ReminderBodies returns reminders as the API shows them.
func ReminderBodies(reminders []event.Reminder) []ReminderBody {
	list := make([]ReminderBody, len(reminders))
	for i, r := range reminders {
		list[i] = reminderBody(r)
	}
	return list
}

func reminderBody(r event.Reminder) ReminderBody {
	if r.At == nil {
		return ReminderBody{BeforeMinutes: r.BeforeMinutes}
	}
	return ReminderBody{DaysBefore: &r.DaysBefore, At: r.At.String()}
}

// Reminders returns the reminders that a request gives. Errors: problem.ValidationFailed for a reminder that is neither
// of the two sorts; as CheckReminders.
func Reminders(field string, bodies []ReminderBody) (list []event.Reminder, err error) {
	list = make([]event.Reminder, len(bodies))
	for i, b := range bodies {
		if list[i], err = b.reminder(fmt.Sprintf("%s[%d]", field, i)); err != nil {
			return nil, err
		}
	}
	return list, CheckReminders(field, list)
}

// reminder returns the reminder, whose fields the schema has checked. event.Reminder.Check checks their values. Errors:
// problem.ValidationFailed if it has fields of both sorts, or not all fields of one.
func (b ReminderBody) reminder(field string) (event.Reminder, error) {
	r := event.Reminder{BeforeMinutes: b.BeforeMinutes}
	switch {
	case b.BeforeMinutes != 0 && (b.DaysBefore != nil || b.At != ""):
		return r, problem.Invalid(field+".before_minutes", "excluded", "Give before_minutes, or days_before and at.")
	case b.DaysBefore == nil && b.At != "":
		return r, problem.Invalid(field+".days_before", "required",
			"Give the number of days with at; 0 is the booking's date.")
	case b.DaysBefore != nil && b.At == "":
		return r, problem.Invalid(field+".at", "required", "Give the time of day with days_before.")
	}
	if b.DaysBefore != nil {
		r.DaysBefore = *b.DaysBefore
	}
	if at, err := event.ParseLocalTime(b.At); err == nil {
		r.At = &at
	}
	return r, nil
}

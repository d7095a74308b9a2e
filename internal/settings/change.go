package settings

import (
	"fmt"
	"maps"
	"slices"

	"holdfast/internal/email"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Change is what a request changes of a tenant. What it doesn't give stays.
type Change struct {
	Name            *string          `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Harbour Tours"`
	Reminders       []ReminderBody   `json:"reminders,omitzero" maxItems:"10" nullable:"false" doc:"Replaces all reminders. [] removes them."`
	BalanceDue      *ReminderBody    `json:"balance_due,omitempty" doc:"When to remind of what is still to pay. {} ends it."`
	FollowUpMinutes *int             `json:"follow_up_minutes,omitempty" minimum:"0" maximum:"525600" doc:"After the booking's end. 0 ends it."`
	Greetings       *GreetingsChange `json:"greetings,omitempty"`
	Email           *EmailChange     `json:"email,omitempty"`

	UniqueReferences *bool `json:"unique_references,omitempty" doc:"true: from now on no booking gets a reference, or an external_reference, that another one has. Bookings that share one keep it."`
}

// GreetingsChange is what a request changes of the greetings.
type GreetingsChange struct {
	Birthday    *bool `json:"birthday,omitempty"`
	Anniversary *bool `json:"anniversary,omitempty"`
}

// EmailChange is what a request changes of emails.
type EmailChange struct {
	From      *AddressBody   `json:"from,omitempty" doc:"Replaces the name and the address of the sender. {} ends emails."`
	Templates []TemplateBody `json:"templates,omitempty" maxItems:"20" nullable:"false" doc:"A kind that isn't given keeps its template. One that is given without subject, text and html goes back to Holdfast's own."`
}

// applyTo changes a tenant. Errors: problem.ValidationFailed.
func (c Change) applyTo(t *Tenant) error {
	s := &t.Settings
	if c.Name != nil {
		if err := tenant.CheckText("name", *c.Name); err != nil {
			return err
		}
		t.Name = *c.Name
	}
	if c.Reminders != nil {
		reminders, err := Reminders("reminders", c.Reminders)
		if err != nil {
			return err
		}
		s.Reminders = slices.Clip(reminders)
		if len(reminders) == 0 {
			s.Reminders = nil
		}
	}
	if c.BalanceDue != nil {
		due, err := c.BalanceDue.reminder("balance_due")
		if err != nil {
			return err
		}
		if s.BalanceDue = &due; *c.BalanceDue == (ReminderBody{}) {
			s.BalanceDue = nil
		}
	}
	if c.FollowUpMinutes != nil {
		s.FollowUpMinutes = *c.FollowUpMinutes
	}
	set(&s.UniqueReferences, c.UniqueReferences)
	if g := c.Greetings; g != nil {
		set(&s.Greetings.Birthday, g.Birthday)
		set(&s.Greetings.Anniversary, g.Anniversary)
	}
	if c.Email != nil {
		if err := c.Email.applyTo(t); err != nil {
			return err
		}
	}
	return s.check()
}

func (c EmailChange) applyTo(t *Tenant) error {
	if c.From != nil {
		if tenant.HasControl(c.From.Name) {
			return controlCharacter("email.from.name")
		}
		from := email.Address(*c.From)
		if t.Settings.From = &from; *c.From == (AddressBody{}) {
			t.Settings.From = nil
		}
	}
	t.Templates = maps.Clone(t.Templates)
	for i, b := range c.Templates {
		if slices.ContainsFunc(c.Templates[:i], func(former TemplateBody) bool { return former.Template == b.Template }) {
			return problem.Invalid(fmt.Sprintf("email.templates[%d].template", i), "duplicate", "The template is listed already.")
		}
		kind, own := email.Kind(b.Template), email.Template{Subject: b.Subject, Text: b.Text, HTML: b.HTML}
		if own == (email.Template{}) {
			delete(t.Templates, kind)
			continue
		}
		if tenant.HasControl(own.Subject) {
			return controlCharacter(fmt.Sprintf("email.templates[%d].subject", i))
		}
		if err := email.Check(fmt.Sprintf("email.templates[%d]", i), kind, own); err != nil {
			return err
		}
		if t.Templates == nil {
			t.Templates = make(map[email.Kind]email.Template)
		}
		t.Templates[kind] = own
	}
	return nil
}

func controlCharacter(field string) error {
	return problem.Invalid(field, "control_character", "Expected no control characters, such as line breaks or changes of the writing direction.")
}

func set(to, given *bool) {
	if given != nil {
		*to = *given
	}
}

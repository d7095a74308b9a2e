package settings

import (
	"cmp"
	"fmt"

	"holdfast/internal/bounds"
	"holdfast/internal/email"
	"holdfast/internal/problem"
)

// applyTo gives a tenant what a spec says. Errors: problem.ValidationFailed.
func (spec Spec) applyTo(t *Tenant) (err error) {
	if err := problem.CheckText("name", spec.Name); err != nil {
		return err
	}
	t.Name = spec.Name
	t.Settings = Settings{FollowUpMinutes: spec.FollowUpMinutes, Greetings: Greetings(spec.Greetings),
		UniqueReferences: spec.UniqueReferences, BookingPage: spec.BookingPage, PaymentEmails: spec.PaymentEmails}
	if len(spec.OwnerEmails) > 0 {
		t.Settings.OwnerEmails = spec.OwnerEmails
	}
	t.Settings.Website.Limits = spec.Website.Limits
	if len(spec.Website.Origins) > 0 {
		t.Settings.Website.Origins = spec.Website.Origins
	}
	if len(spec.Reminders) > 0 {
		if t.Settings.Reminders, err = Reminders("reminders", spec.Reminders); err != nil {
			return err
		}
	}
	if spec.BalanceDue != nil {
		due, err := spec.BalanceDue.reminder("balance_due")
		if err != nil {
			return err
		}
		t.Settings.BalanceDue = &due
	}
	if err := spec.Email.applyTo(t); err != nil {
		return err
	}
	if err := spec.BookingPage.check(); err != nil {
		return err
	}
	return cmp.Or(t.Settings.check(), bounds.Check("", spec))
}

func (e EmailBody) applyTo(t *Tenant) error {
	if e.From != nil {
		if problem.HasControl(e.From.Name) {
			return controlCharacter("email.from.name")
		}
		from := email.Address(*e.From)
		t.Settings.From = &from
	}
	t.Templates = nil
	for i, b := range e.Templates {
		kind, own := email.Kind(b.Template), email.Template{Subject: b.Subject, Text: b.Text, HTML: b.HTML}
		if _, listed := t.Templates[kind]; listed {
			return problem.Invalid(fmt.Sprintf("email.templates[%d].template", i), "duplicate",
				"The template is listed already.")
		}
		if problem.HasControl(own.Subject) {
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
	return problem.Invalid(field, "control_character",
		"Expected no control characters, such as line breaks or changes of the writing direction.")
}

package frame

import "holdfast/internal/console/form"

// HelpOfReminders says when reminders are sent.
const HelpOfReminders = "Each so long before the start, or some days before at a time of day."

// ReminderFields are the fields of a reminder, below a prefix.
func ReminderFields(prefix string) []form.Field {
	return []form.Field{
		{Name: prefix + "before_minutes", Label: "So long before", Kind: form.KindSpan},
		{Name: prefix + "days_before", Label: "or days before", Zero: true},
		{Name: prefix + "at", Label: "at", Kind: form.KindClock},
	}
}

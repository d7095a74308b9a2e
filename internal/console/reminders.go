package console

// helpOfReminders says when reminders are sent.
const helpOfReminders = "Each so long before the start, or some days before at a time of day."

// reminderFields are the fields of a reminder, below a prefix.
func reminderFields(prefix string) []field {
	return []field{
		{Name: prefix + "before_minutes", Label: "So long before", Kind: kindSpan},
		{Name: prefix + "days_before", Label: "or days before", Zero: true},
		{Name: prefix + "at", Label: "at", Kind: kindClock},
	}
}

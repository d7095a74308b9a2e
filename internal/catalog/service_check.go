package catalog

import (
	"cmp"

	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// Check returns problem.ValidationFailed for the first field that is out of bounds or doesn't fit the kind.
func (svc ServiceSpec) Check() error {
	return cmp.Or(problem.CheckText("name", svc.Name), problem.CheckLines("description", svc.Description),
		svc.Spec.Check(),
		svc.Terms.check(), svc.checkReminders(), svc.Metadata.Check())
}

func (svc ServiceSpec) checkReminders() error {
	_, err := settings.Reminders("reminders", svc.Reminders)
	return err
}

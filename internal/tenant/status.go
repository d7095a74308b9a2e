package tenant

import (
	"holdfast/internal/problem"
)

// Status is whether a tenant may use Holdfast. The operator changes it.
type Status string

// The statuses.
const (
	// StatusActive: the tenant's API keys work.
	StatusActive Status = "active"
	// StatusSuspended: the tenant's API keys are refused. What was begun goes on: payments are resolved, holds expire,
	// refunds are made, webhooks tell of it. No email is sent to customers.
	StatusSuspended Status = "suspended"
	// StatusDeleting: what the tenant has is being deleted. This can't be undone.
	StatusDeleting Status = "deleting"
	// StatusDeleted: nothing is left of the tenant but its id.
	StatusDeleted Status = "deleted"
)

// Values returns every status there is.
func (Status) Values() []string {
	return []string{string(StatusActive), string(StatusSuspended), string(StatusDeleting), string(StatusDeleted)}
}

// deletedSlug begins the slug of a deleted tenant, whose former slug is free again.
const deletedSlug = "deleted-"

// check returns problem.TenantSuspended unless the tenant's API keys work.
func (s Status) check() error {
	if s == StatusActive {
		return nil
	}
	return problem.New(problem.TenantSuspended, "The tenant is suspended. Ask whoever runs this server.")
}

package webhook

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// maxBacklog is how many deliveries to the operator's endpoints may be to be made when one of these endpoints is down:
// then it is disabled. While it is down, each of them is looked at every quarter of an hour or so, which costs the
// database as much as other deliveries do.
const maxBacklog = 100_000

// isOperator reports whether the owner of endpoints is the operator.
func isOperator(tenant uuid.UUID) bool { return tenant == uuid.Nil }

// kindFor returns a kind of things as an owner of endpoints has it: the operator finds its own at other paths.
func kindFor(owner tenant.Tenant, kind string) string {
	if isOperator(owner.ID) {
		return "operator_" + kind
	}
	return kind
}

// limitBacklog disables an endpoint of the operator that is down, if too many deliveries to the operator are to be
// made. open is how many are.
func (s *Service) limitBacklog(e Endpoint, open int64, now time.Time) Endpoint {
	if e.Status != Enabled || e.openUntil == nil || open < s.maxBacklog {
		return e
	}
	return e.disabled(Disabled,
		fmt.Sprintf("The endpoint failed, and %d deliveries or more wait. Enable it, and replay what it missed.",
			s.maxBacklog), now)
}

// tooManyOpen refuses to deliver a range again.
func tooManyOpen() error {
	return problem.New(problem.InvalidState,
		fmt.Sprintf("There are %d deliveries or more that are still to be made. Ask again when fewer are left.",
			maxOpen))
}

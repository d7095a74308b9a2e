package booking

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Bounds of availability of several services at once.
const (
	// MaxAvailabilityServices is how many services a request can ask for, and a page can have.
	MaxAvailabilityServices = 10
	// MaxServicesAvailabilityDays is how many dates a request can ask for.
	MaxServicesAvailabilityDays = 31
)

// AvailabilityOfServices returns a page of what is free of services, in their order, on each date of the query: of each
// what Availability tells without a length. A service whose dates don't all fit on the page is continued on the next
// one.
//
// Errors: problem.NotFound with the field of a service that doesn't exist, and those of Availability.
func (s *Service) AvailabilityOfServices(ctx context.Context, t tenant.Tenant, services []uuid.UUID,
	q timetable.AvailabilityQuery,
) (*timetable.ServicesPage, error) {
	if err := cmp.Or(checkServices(services), q.Check(MaxServicesAvailabilityDays)); err != nil {
		return nil, err
	}
	first := 0
	if q.After != nil {
		if first = slices.Index(services, q.After.ServiceID); first < 0 {
			return nil, problem.Invalid("cursor", "invalid_format",
				"Expected the next_cursor of another page of the same services.")
		}
	}
	return s.servicesPage(ctx, t, q, func() ([]uuid.UUID, error) { return services[first:], nil },
		func(i int) string { return fmt.Sprintf("service_ids[%d]", first+i) })
}

// checkServices returns problem.ValidationFailed for no services, too many, or one that is listed twice.
func checkServices(services []uuid.UUID) error {
	if err := problem.CheckRange("service_ids", len(services), 1, MaxAvailabilityServices); err != nil {
		return err
	}
	for i, id := range services {
		if slices.Contains(services[:i], id) {
			return problem.Invalid(fmt.Sprintf("service_ids[%d]", i), "duplicate", "The service is listed already.")
		}
	}
	return nil
}

// AvailabilityOfResource is AvailabilityOfServices for the services that a resource can serve and that aren't archived,
// by id. It tells what can be had by bookings that name the resource. Errors: problem.NotFound with the field of a
// resource that doesn't exist, and those of Availability.
func (s *Service) AvailabilityOfResource(ctx context.Context, t tenant.Tenant, resource uuid.UUID,
	q timetable.AvailabilityQuery,
) (*timetable.ServicesPage, error) {
	if err := q.Check(MaxServicesAvailabilityDays); err != nil {
		return nil, err
	}
	q.ResourceID = &resource
	from := uuid.Nil
	if q.After != nil {
		from = q.After.ServiceID
	}
	return s.servicesPage(ctx, t, q, func() ([]uuid.UUID, error) {
		found, err := catalog.ServicesOfResource(ctx, s.db, t.ID, resource, from, MaxAvailabilityServices+1)
		return found, withField(err, "resource_id")
	}, func(int) string { return "resource_id" })
}

// servicesPage returns a page of the services that list returns, of which one more than a page can have says that there
// are more. field names the ith of them in the request.
func (s *Service) servicesPage(ctx context.Context, t tenant.Tenant, q timetable.AvailabilityQuery,
	list func() ([]uuid.UUID, error),
	field func(i int) string,
) (*timetable.ServicesPage, error) {
	p := &timetable.ServicesPage{From: q.From}
	var err error
	p.Pages, err = s.availabilityPages(ctx, t, q, func(i int) (*rules, error) {
		var err error
		if i == 0 {
			p.Services, err = list()
		}
		if err != nil || i >= min(len(p.Services), MaxAvailabilityServices) {
			return nil, err
		}
		rs, err := s.rulesOf(ctx, t, p.Services[i])
		return rs, withField(err, field(i))
	})
	return p, err
}

// withField names the field of what isn't there, if that is the error.
func withField(err error, field string) error {
	if !problem.Is(err, problem.NotFound) {
		return err
	}
	missing := problem.Missing()
	missing.Fields = []problem.Field{{Name: field, Code: "not_found", Detail: missing.Detail}}
	return missing
}

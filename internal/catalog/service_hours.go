package catalog

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/timetable"
)

// opening reads the resources of a service's first need that have some hours, as they are now. Errors:
// problem.DatabaseUnavailable.
func (s *Service) opening(ctx context.Context, tenant uuid.UUID, svc ServiceSpec) (open []timetable.Times, err error) {
	ids := svc.AllNeeds()[0].ResourceIDs
	if svc.Kind != timetable.KindSlot || svc.UntilClosing || len(ids) == 0 {
		return nil, nil
	}
	now, err := readFit(ctx, s.db, tenant, FitQuery{Resources: ids, Since: never})
	if err != nil {
		return nil, err
	}
	hours, err := hoursFromRow(now.hours)
	if err != nil {
		return nil, err
	}
	inherited := hours.Times()
	for _, row := range now.resources {
		res, err := resourceFromRow(row)
		if err != nil {
			return nil, err
		}
		if times := res.Open(&inherited).Times; times.LongestOpening() > 0 { // hours may be given later
			open = append(open, times)
		}
	}
	return open, nil
}

// never is a date after all closures. Reading closures from it on reads none.
var never = civil.Date{Year: datetime.MaxYear, Month: time.December, Day: 31}

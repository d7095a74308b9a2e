package timetable

import (
	"iter"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// ServicesPage is what is free of several services on some of the dates that were asked for. It has the bounds of a
// page of one service.
type ServicesPage struct {
	From     civil.Date
	Services []uuid.UUID         // from the first one of the page on
	Pages    []*AvailabilityPage // of the first of the services
}

// Days computes the days of the page, service after service: each is valid until the next one. It can be called once.
func (p *ServicesPage) Days() iter.Seq[Day] {
	return func(yield func(Day) bool) {
		for i, page := range p.Pages {
			if i > 0 {
				before := p.Pages[i-1]
				page.follows, page.listing.budget, page.times.effort = true, before.listing.budget, before.times.effort
			}
			for day := range page.Days() {
				if !yield(day) {
					return
				}
			}
			if page.Next() != nil {
				return
			}
		}
	}
}

// Next returns, after Days, where the next page begins; nil on the last one.
func (p *ServicesPage) Next() *AvailabilityPosition {
	for i, page := range p.Pages {
		if next := page.Next(); next != nil {
			next.ServiceID = p.Services[i]
			return next
		}
	}
	if len(p.Pages) == len(p.Services) {
		return nil
	}
	return &AvailabilityPosition{ServiceID: p.Services[len(p.Pages)], Date: p.From}
}

// Fingerprint returns a text as AvailabilityPage.Fingerprint does.
func (p *ServicesPage) Fingerprint() string { return fingerprint(p.Pages) }

package pages

import (
	"net/http"

	"holdfast/internal/catalog"
	"holdfast/internal/timetable"
)

// servicesPage lists what can be booked.
type servicesPage struct {
	Introduction string
	Services     []serviceCard
	Own          *ownHold
}

// serviceCard is a service of the list.
type serviceCard struct {
	Name, Description, URL string
	Price                  string // from which it can be had, or that it is free
	Length                 string // empty unless all its bookings last as long
}

func (p *Pages) showServices(v *visit) error {
	own, err := p.ownHold(v)
	if err != nil {
		return err
	}
	page := servicesPage{Introduction: v.page.Introduction, Own: own}
	for i := range v.services {
		svc := &v.services[i]
		page.Services = append(page.Services, serviceCard{
			Name: svc.Name, Description: svc.Description, URL: v.withLanguage(v.bookPath(svc.ID.String()), nil),
			Price: v.priceFrom(svc), Length: v.lengthOf(svc),
		})
	}
	return p.render(v, http.StatusOK, "services", v.tenant.Name, page)
}

// priceFrom returns the least that a booking of a service can cost, in words.
func (v *visit) priceFrom(svc *catalog.BookableService) string {
	least, vary := svc.Price, len(svc.UnitTypes) > 0 || svc.Vary()
	for _, r := range svc.Rates {
		vary = vary || r.Price != svc.Price
		least = min(least, r.Price)
	}
	if len(svc.UnitTypes) > 0 {
		cheapest := svc.UnitTypes[0].Price
		for _, u := range svc.UnitTypes {
			if u.Counts {
				cheapest = min(cheapest, u.Price)
			}
		}
		least += cheapest
	}
	name := "price_booking"
	switch {
	case least == 0 && !vary:
		return v.text("price_free")
	case svc.Kind == timetable.KindStay:
		name = "price_night"
	case svc.PricePer == timetable.PerUnit || len(svc.UnitTypes) > 0:
		name = "price_person"
	}
	if vary {
		name += "_from"
	}
	return v.text(name, "Price", v.amount(least, svc.Currency))
}

// lengthOf returns how long a booking of a service lasts, in words; empty if that isn't one length.
func (v *visit) lengthOf(svc *catalog.BookableService) string {
	if svc.Kind != timetable.KindSlot || svc.Vary() || svc.UntilClosing {
		return ""
	}
	return v.length(timetable.Length{Minutes: svc.DurationMinutes, Days: svc.DurationDays})
}

// length returns a length in words, such as "1 h 30 min".
func (v *visit) length(l timetable.Length) string {
	const minutesPerHour = 60
	hours, minutes := l.Minutes/minutesPerHour, l.Minutes%minutesPerHour
	switch {
	case l.Days > 0:
		return v.text("length_days", "Count", l.Days)
	case hours == 0:
		return v.text("length_minutes", "Count", minutes)
	case minutes == 0:
		return v.text("length_hours", "Count", hours)
	}
	return v.text("length_hours_minutes", "Hours", hours, "Minutes", minutes)
}

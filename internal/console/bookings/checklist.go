package bookings

import (
	"holdfast/internal/console/frame"
	"holdfast/internal/operation"
)

// checklistStep is something that an owner does before people can book.
type checklistStep struct {
	Name, Words, URL string
	Done             bool
}

// checklist returns what an owner does until people can book on the booking page; nothing if they can, and for people
// who may not do it.
func (s section) checklist(v *frame.Visit) ([]checklistStep, error) {
	if !v.May(operation.ScopeAdmin) {
		return nil, nil
	}
	own, err := s.Settings.Get(v.Context(), v.Tenant().ID)
	if err != nil || own.Settings.BookingPage.Enabled {
		return nil, err
	}
	services, resources, _, err := s.CatalogOf(v)
	if err != nil {
		return nil, err
	}
	open, err := s.Catalog.TenantHours(v.Context(), v.Tenant())
	if err != nil {
		return nil, err
	}
	isOpen := open.Weekly != nil
	for _, r := range resources {
		isOpen = isOpen || !r.Hours.Inherited()
	}
	for i := range services {
		isOpen = isOpen || services[i].HasStartTimes()
	}
	return []checklistStep{
		{"Add what people book", "Your boats, rooms or people.", v.Path("resources", "new"), len(resources) > 0},
		{"Say what you sell, and its price", "A tour, a class, a night.", v.Path("services", "new"), len(services) > 0},
		{"Say when you are open", "Until then you are open at all times.", v.Path("hours"), isOpen},
		{"Switch your booking page on", "With a text, your address and a colour.", v.Path("settings"), false},
		{"Share its link", "You find it in the settings, with a code to scan and one for your website.",
			v.Path("settings"), false},
	}, nil
}

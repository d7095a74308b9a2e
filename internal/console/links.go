package console

import (
	"github.com/google/uuid"

	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// tab is a page of a section.
type tab = web.NavLink

// sectionTabs are the pages of the sections that have several, by the path of the section.
var sectionTabs = map[string][]web.Link{
	"services": {
		{Name: "Services", URL: "services"}, {Name: "Resources", URL: "resources"},
		{Name: "Opening hours", URL: "hours"}, {Name: "Closures", URL: "closures"}, {Name: "Blocks", URL: "blocks"},
	},
	"api-keys": {
		{Name: "API keys", URL: "api-keys"}, {Name: "Webhooks", URL: "webhooks"},
		{Name: "Scheduled events", URL: "scheduled-events"},
	},
	"settings": {{Name: "Settings", URL: "settings"}, {Name: "Emails", URL: "email-preview"}},
}

// tabs returns the pages of a section, of which one is shown; none of a section that has only one.
func (v *visit) tabs(section string) []tab {
	list := make([]tab, 0, len(sectionTabs[section]))
	for _, t := range sectionTabs[section] {
		list = append(list, v.NavLink(t.Name, v.path(t.URL)))
	}
	return list
}

// bookingPath is the path of a booking, or below it.
func (v *visit) bookingPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"bookings", id.String()}, below...)...)
}

// customerPath is the path of a customer, or below it.
func (v *visit) customerPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"customers", id.String()}, below...)...)
}

// handBackURL is the path of the page on which a refund is completed; empty if there is nothing to complete or the person may not.
func (v *visit) handBackURL(p payment.Payment, mayMoney bool) string {
	if p.RefundOf == nil || !p.WaitsForPerson() || !mayMoney {
		return ""
	}
	return v.path("payments", p.ID.String(), "hand-back")
}

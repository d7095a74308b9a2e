package frame

import (
	"github.com/google/uuid"

	"holdfast/internal/payment"
	"holdfast/internal/web"
)

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

// Tabs returns the pages of a section, of which one is shown; none of a section that has only one.
func (v *Visit) Tabs(section string) []web.NavLink {
	list := make([]web.NavLink, 0, len(sectionTabs[section]))
	for _, t := range sectionTabs[section] {
		list = append(list, v.NavLink(t.Name, v.Path(t.URL)))
	}
	return list
}

// BookingPath is the path of a booking, or below it.
func (v *Visit) BookingPath(id uuid.UUID, below ...string) string {
	return v.Path(append([]string{"bookings", id.String()}, below...)...)
}

// CustomerPath is the path of a customer, or below it.
func (v *Visit) CustomerPath(id uuid.UUID, below ...string) string {
	return v.Path(append([]string{"customers", id.String()}, below...)...)
}

// HandBackURL is the path of the page on which a refund is completed; empty if there is nothing to complete or the
// person may not.
func (v *Visit) HandBackURL(p payment.Payment, mayMoney bool) string {
	if p.RefundOf == nil || !p.WaitsForPerson() || !mayMoney {
		return ""
	}
	return v.Path("payments", p.ID.String(), "hand-back")
}

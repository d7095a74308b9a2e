package console

import "holdfast/internal/web"

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

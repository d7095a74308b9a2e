package console

import "strings"

// Link leads somewhere.
type Link struct{ Name, URL string }

// tab is a page of a section.
type tab struct {
	Name, URL string
	Current   bool
}

// sectionTabs are the pages of the sections that have several, by the path of the section.
var sectionTabs = map[string][]Link{
	"services": {
		{"Services", "services"}, {"Resources", "resources"}, {"Opening hours", "hours"}, {"Closures", "closures"}, {"Blocks", "blocks"},
	},
	"api-keys": {{"API keys", "api-keys"}, {"Webhooks", "webhooks"}, {"Scheduled events", "scheduled-events"}},
	"settings": {{"Settings", "settings"}, {"Emails", "email-preview"}},
}

// sectionOf returns the section of a page that stands at a path of its own.
func (v *visit) sectionOf(here string) string {
	for section, tabs := range sectionTabs {
		for _, t := range tabs {
			if here == v.path(t.URL) || strings.HasPrefix(here, v.path(t.URL)+"/") {
				return section
			}
		}
	}
	return ""
}

// tabs returns the pages of a section, of which one is shown.
func (v *visit) tabs(section string) []tab {
	here := v.C.Request.URL.Path
	list := make([]tab, 0, len(sectionTabs[section]))
	for _, t := range sectionTabs[section] {
		to := v.path(t.URL)
		list = append(list, tab{t.Name, to, here == to || strings.HasPrefix(here, to+"/")})
	}
	return list
}

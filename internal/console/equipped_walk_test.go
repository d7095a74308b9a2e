package console_test

import (
	"testing"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// walkEquipped opens the pages of the catalog, the settings and the developers, and calls look there.
func walkEquipped(t *testing.T, d pagetest.Device, look pagetest.Look) {
	t.Helper()
	e := equip(t, "Harbour tour")
	b := pagetest.NewBrowser(t, d)
	b.Open(t, e.link(t, e.user(t, "ada", user.RoleOwner)))
	b.Press(t, "Sign in")
	b.Await(t, "Today")
	for _, page := range []struct{ name, path string }{
		{"services", "/services"},
		{"service", "/services/" + e.service},
		{"service-change", "/services/" + e.service + "/change"},
		{"service-archive", "/services/" + e.service + "/archive"},
		{"service-kind", "/services/new"},
		{"tour-new", "/services/new?preset=tour"},
		{"charter-new", "/services/new?preset=charter"},
		{"stay", "/services/" + e.stay},
		{"stay-new", "/services/new?kind=stay"},
		{"resources", "/resources"},
		{"resource", "/resources/" + e.resource},
		{"resource-hours", "/resources/" + e.resource + "/hours"},
		{"hours", "/hours"},
		{"closures", "/closures"},
		{"closure-new", "/closures/new"},
		{"blocks", "/blocks"},
		{"block-new", "/blocks/new"},
		{"block-change", "/blocks/" + e.block},
		{"settings", "/settings"},
		{"email-preview", "/email-preview"},
		{"api-keys", "/api-keys"},
		{"api-key", "/api-keys/" + e.apiKey},
		{"webhooks", "/webhooks"},
		{"webhook", "/webhooks/" + e.endpoint},
		{"webhook-replay", "/webhooks/" + e.endpoint + "/replay"},
		{"delivery", "/deliveries/" + e.delivery},
		{"scheduled-events", "/scheduled-events"},
		{"scheduled-event", "/scheduled-events/" + e.event},
	} {
		b.Open(t, e.url+"/console/harbour"+page.path)
		look(b, "console-"+page.name)
	}
}

func TestConsole_EachPageOfTheCatalogAndSettings_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walkEquipped(t, pagetest.Desktop,
		func(b *pagetest.Browser, name string) { b.RequireAccessible(t, name, pagetest.Everywhere()...) })
}

func TestConsole_Catalog_Pictures(t *testing.T) {
	t.Parallel()
	pagetest.TakePictures(t, walkEquipped)
}

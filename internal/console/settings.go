package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/message"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// routeSettings adds the pages of the settings.
func (c *Console) routeSettings() {
	admin := need{scope: operation.ScopeAdmin}
	c.get("/settings", admin, c.showSettings)
	c.post("/settings", admin.on(c.showSettings, 0), c.changeSettings)
	c.routeLogo()
	c.get("/email-preview", admin, c.showPreview)
	c.post("/email-preview", admin.on(c.showPreview, 0), c.previewEmail)
}

// settingsPage are the settings in a form.
type settingsPage struct {
	Tabs               []tab
	Path               string
	TimeZone, Currency string
	Version            string
	BookingPage        string // its path; empty while nobody can book on it
	Form               formView
	Logo               logoView
}

// formOfSettings is the form of the settings as they are, in which also archived services that are sold can be chosen.
func (c *Console) formOfSettings(v *visit) (f form, t settings.Tenant, err error) {
	if t, err = c.Settings.Get(v.ctx(), v.tenant().ID); err != nil {
		return f, t, err
	}
	services, _, known, err := c.catalogOf(v)
	if err != nil {
		return f, t, err
	}
	for _, id := range t.Settings.BookingPage.ServiceIDs {
		if _, listed := known[id]; listed {
			continue
		}
		svc, err := c.Catalog.Service(v.ctx(), v.tenant(), id)
		switch {
		case problem.Is(err, problem.NotFound):
			svc.ID, svc.Name = id, "a service that isn’t there"
		case err != nil:
			return f, t, err
		}
		services = append(services, svc)
	}
	return settingsForm(v.tenant(), services), t, nil
}

func (c *Console) showSettings(v *visit) error {
	f, t, err := c.formOfSettings(v)
	if err != nil {
		return err
	}
	values, err := f.values(t.Body().Spec)
	if err != nil {
		return err
	}
	page := settingsPage{
		Tabs: v.tabs("settings"), Path: v.path("settings"), TimeZone: t.TimeZone, Currency: t.Currency, Version: versionOf(t),
		Form: f.view(values), Logo: v.logoOf(t),
	}
	if t.Settings.BookingPage.Enabled {
		page.BookingPage = "/book/" + url.PathEscape(t.Slug)
	}
	return c.render(v, http.StatusOK, "settings", "Settings", page)
}

// versionOf is the version of the settings that a form carries.
func versionOf(t settings.Tenant) string { return strconv.FormatInt(t.Version, 10) }

func (c *Console) changeSettings(v *visit) error {
	f, t, err := c.formOfSettings(v)
	if err != nil {
		return err
	}
	shown, err := f.values(t.Body().Spec)
	if err != nil {
		return err
	}
	err = f.showing(shown).submit(v.Form, func(d document) error {
		p, err := readPatch[settings.Spec](c.checkBody, d)
		if err != nil {
			return err
		}
		_, err = c.Settings.Change(v.ctx(), v.tenant().ID, p, string(v.version()))
		c.Tenants.Forget(v.tenant().ID) // what is known with its API keys
		return err
	})
	if err != nil {
		return err
	}
	return v.done("settings", v.path("settings"))
}

// previewPage shows how an email reads.
type previewPage struct {
	Tabs                []tab
	Path                string
	Kinds               []option
	Kind, Booking       string
	Subject, Text, HTML string // of the form
	Shown               *shownEmail
}

// shownEmail is how an email reads. Its HTML is shown as it is written: nothing of it is part of the page.
type shownEmail struct{ Subject, Text, HTML string }

func (v *visit) newPreviewPage(given url.Values) previewPage {
	page := previewPage{
		Tabs: v.tabs("settings"), Path: v.path("email-preview"), Kind: given.Get("template"), Booking: given.Get("booking_id"),
		Subject: given.Get("subject"), Text: given.Get("text"), HTML: given.Get("html"),
	}
	for _, kind := range settings.TemplateKind("").Values() {
		page.Kinds = append(page.Kinds, option{kind, eventWords(kind)})
	}
	return page
}

func (c *Console) showPreview(v *visit) error {
	return c.render(v, http.StatusOK, "preview", "Emails", v.newPreviewPage(url.Values{}))
}

func (c *Console) previewEmail(v *visit) error {
	page := v.newPreviewPage(v.Form)
	d := document{}
	for _, name := range []string{"template", "subject", "text", "html", "booking_id"} {
		if text := strings.ReplaceAll(v.Form.Get(name), "\r\n", "\n"); text != "" {
			d[name] = text
		}
	}
	err := func() error {
		asked, err := readBody[message.PreviewRequest](c.checkBody, d)
		if err != nil {
			return err
		}
		shown, err := c.Messages.Preview(v.ctx(), v.tenant().ID, asked)
		page.Shown = (*shownEmail)(&shown)
		return err
	}()
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "preview", "Emails", page)
}

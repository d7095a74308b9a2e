package settings

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/message"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/web"
)

// routeSettings adds the pages of the settings.
func (s section) routeSettings() {
	s.FormPage("/settings", settings.OpChangeTenant, s.showSettings, s.changeSettings)
	s.FormPage("/email-preview", settings.OpPreviewEmail, s.showPreview, s.previewEmail)
}

// settingsPage are the settings in a form.
type settingsPage struct {
	Tabs               []web.NavLink
	Path               string
	TimeZone, Currency string
	Version            string
	Share              *share // nil while nobody can book on the booking page
	Form               form.View
	Logo               logoView
}

// formOfSettings is the form of the settings as they are, in which also archived services that are sold can be chosen.
func (s section) formOfSettings(v *frame.Visit) (f form.Form, t settings.Tenant, err error) {
	if t, err = s.Settings.Get(v.Context(), v.Tenant().ID); err != nil {
		return f, t, err
	}
	services, _, known, err := s.CatalogOf(v)
	if err != nil {
		return f, t, err
	}
	for _, id := range t.Settings.BookingPage.ServiceIDs {
		if _, listed := known[id]; listed {
			continue
		}
		svc, err := s.Catalog.Service(v.Context(), v.Tenant(), id)
		switch {
		case problem.Is(err, problem.NotFound):
			svc.ID, svc.Name = id, "a service that isn’t there"
		case err != nil:
			return f, t, err
		}
		services = append(services, svc)
	}
	return settingsForm(v.Tenant(), services), t, nil
}

func (s section) showSettings(v *frame.Visit) error {
	f, t, err := s.formOfSettings(v)
	if err != nil {
		return err
	}
	values, err := f.Values(t.Body().Spec)
	if err != nil {
		return err
	}
	if values.Get(colourField) == "" { // a control for colours always has one
		values.Set(colourField, settings.DefaultPageColour)
	}
	page := settingsPage{
		Tabs:     v.Tabs("settings"),
		Path:     v.Path("settings"),
		TimeZone: t.TimeZone,
		Currency: t.Currency,
		Version:  versionOf(t),
		Form:     f.View(values),
		Logo:     logoOf(v, t),
	}
	if page.Share, err = s.shareOf(t); err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "settings", "Settings", page)
}

// versionOf is the version of the settings that a form carries.
func versionOf(t settings.Tenant) string { return strconv.FormatInt(t.Version, 10) }

func (s section) changeSettings(v *frame.Visit) error {
	f, t, err := s.formOfSettings(v)
	if err != nil {
		return err
	}
	shown, err := f.Values(t.Body().Spec)
	if err != nil {
		return err
	}
	err = f.Showing(shown).Submit(v.Form, func(d form.Document) error {
		p, err := form.ReadPatch[settings.Spec](s.CheckBody, d)
		if err != nil {
			return err
		}
		_, err = s.Settings.Change(v.Context(), v.Tenant().ID, p, string(v.Version()))
		s.Tenants.Forget(v.Tenant().ID) // what is known with its API keys
		return err
	})
	if err != nil {
		return err
	}
	return v.Done("settings", v.Path("settings"))
}

// previewPage shows how an email reads.
type previewPage struct {
	Tabs                []web.NavLink
	Path                string
	Kinds               []form.Option
	Kind, Booking       string
	Subject, Text, HTML string // of the form
	Shown               *shownEmail
}

// shownEmail is how an email reads. Its HTML is shown as it is written: nothing of it is part of the page.
type shownEmail struct{ Subject, Text, HTML string }

func newPreviewPage(v *frame.Visit, given url.Values) previewPage {
	page := previewPage{
		Tabs:    v.Tabs("settings"),
		Path:    v.Path("email-preview"),
		Kind:    given.Get("template"),
		Booking: given.Get("booking_id"),
		Subject: given.Get("subject"),
		Text:    given.Get("text"),
		HTML:    given.Get("html"),
	}
	for _, kind := range settings.TemplateKind("").Values() {
		page.Kinds = append(page.Kinds, form.Option{Value: kind, Label: frame.EventWords(kind)})
	}
	return page
}

func (s section) showPreview(v *frame.Visit) error {
	return s.Render(v, http.StatusOK, "preview", "Emails", newPreviewPage(v, url.Values{}))
}

func (s section) previewEmail(v *frame.Visit) error {
	page := newPreviewPage(v, v.Form)
	d := form.Document{}
	for _, name := range []string{"template", "subject", "text", "html", "booking_id"} {
		if text := strings.ReplaceAll(v.Form.Get(name), "\r\n", "\n"); text != "" {
			d[name] = text
		}
	}
	err := func() error {
		asked, err := form.ReadBody[message.PreviewRequest](s.CheckBody, d)
		if err != nil {
			return err
		}
		shown, err := s.Messages.Preview(v.Context(), v.Tenant().ID, asked)
		page.Shown = (*shownEmail)(&shown)
		return err
	}()
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "preview", "Emails", page)
}

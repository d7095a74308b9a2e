package settings

import (
	"errors"
	"net/http"
	"path"

	"holdfast/internal/console/frame"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// fieldFile is the field of a form that is a file.
const fieldFile = "file"

// routeLogo adds the logo, and the forms that change it.
func (s section) routeLogo() {
	set := frame.NeedOf(settings.OpSetLogo)
	s.Get("/settings/logo/:hash", set, s.showLogo)
	set.File = fieldFile
	s.Post("/settings/logo", set.On(s.showSettings, 1), s.setLogo)
	s.Form("/settings/logo/remove", settings.OpRemoveLogo, s.showSettings, 2, s.removeLogo)
}

// logoView is the logo with the forms that change it.
type logoView struct {
	Path    string // of the forms
	URL     string // of the image; empty without one
	Version string // of the settings
}

func logoOf(v *frame.Visit, t settings.Tenant) logoView {
	view := logoView{Path: v.Path("settings", "logo"), Version: versionOf(t)}
	if t.LogoHash != "" {
		view.URL = path.Join(view.Path, t.LogoHash)
	}
	return view
}

// showLogo answers with the logo. The booking page's URL of it works only where there is a booking page.
func (s section) showLogo(v *frame.Visit) error {
	logo, err := s.Settings.Logo(v.Context(), v.Tenant().ID, v.C.Param("hash"))
	if err != nil {
		return err
	}
	v.SetHeaders()
	v.C.Data(http.StatusOK, logo.MediaType, logo.Data)
	return nil
}

func (s section) setLogo(v *frame.Visit) error {
	var err error = problem.Invalid(fieldFile, "required", "Choose an image first.")
	if len(v.File) > 0 {
		_, err = s.Settings.SetLogo(v.Context(), v.Tenant().ID, v.File, string(v.Version()))
	}
	if err != nil {
		return refusedLogo(err)
	}
	return v.Done("logo", v.Path("settings"))
}

func (s section) removeLogo(v *frame.Visit) error {
	if _, err := s.Settings.RemoveLogo(v.Context(), v.Tenant().ID, string(v.Version())); err != nil {
		return refusedLogo(err)
	}
	return v.Done("logo_removed", v.Path("settings"))
}

// refusedLogo names the image of a refusal as the form does.
func refusedLogo(err error) error {
	if found := (*problem.Error)(nil); errors.As(err, &found) {
		for i := range found.Fields {
			found.Fields[i].Name = "Image"
		}
	}
	return err
}

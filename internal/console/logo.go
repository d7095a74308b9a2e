package console

import (
	"errors"
	"net/http"
	"path"

	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// fieldFile is the field of a form that is a file.
const fieldFile = "file"

// routeLogo adds the logo, and the forms that change it.
func (c *Console) routeLogo() {
	admin := need{scope: operation.ScopeAdmin}
	c.get("/settings/logo/:hash", admin, c.showLogo)
	c.post("/settings/logo", need{scope: operation.ScopeAdmin, file: fieldFile}.on(c.showSettings, 1), c.setLogo)
	c.post("/settings/logo/remove", admin.on(c.showSettings, 2), c.removeLogo)
}

// logoView is the logo with the forms that change it.
type logoView struct {
	Path    string // of the forms
	URL     string // of the image; empty without one
	Version string // of the settings
}

func (v *visit) logoOf(t settings.Tenant) logoView {
	view := logoView{Path: v.path("settings", "logo"), Version: versionOf(t)}
	if t.LogoHash != "" {
		view.URL = path.Join(view.Path, t.LogoHash)
	}
	return view
}

// showLogo answers with the logo. The booking page's URL of it works only where there is a booking page.
func (c *Console) showLogo(v *visit) error {
	logo, err := c.Settings.Logo(v.ctx(), v.tenant().ID, v.C.Param("hash"))
	if err != nil {
		return err
	}
	v.SetHeaders()
	v.C.Data(http.StatusOK, logo.MediaType, logo.Data)
	return nil
}

func (c *Console) setLogo(v *visit) error {
	var err error = problem.Invalid(fieldFile, "required", "Choose an image first.")
	if len(v.File) > 0 {
		_, err = c.Settings.SetLogo(v.ctx(), v.tenant().ID, v.File, string(v.version()))
	}
	if err != nil {
		return refusedLogo(err)
	}
	return v.done("logo", v.path("settings"))
}

func (c *Console) removeLogo(v *visit) error {
	if _, err := c.Settings.RemoveLogo(v.ctx(), v.tenant().ID, string(v.version())); err != nil {
		return refusedLogo(err)
	}
	return v.done("logo_removed", v.path("settings"))
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

package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// signInPage asks for the admin key.
type signInPage struct {
	Path   string // of the form
	Notice string // what has just happened
}

// fieldAdminKey is the field with the admin key. It is never shown again.
const fieldAdminKey = "admin_key"

func (c *Console) showSignIn(v *visit) error {
	page := signInPage{Path: path("sign-in")}
	if v.Query.Get(web.FieldDone) == "signed_out" {
		page.Notice = "You are signed out."
	}
	return c.render(v, http.StatusOK, "sign_in", "Sign in", page)
}

// signIn signs in whoever knows the admin key. Wrong keys are counted by address.
func (c *Console) signIn(v *visit) error {
	name, err := nameOf(v.Form.Get("name"))
	if err != nil {
		return err
	}
	giveBack, err := c.cfg.Admission.TakeSignIn(v.C)
	if err != nil {
		return err
	}
	if !c.isAdminKey(v.Form.Get(fieldAdminKey)) {
		return problem.New(problem.Forbidden, "This isn't the server's admin key.")
	}
	giveBack()
	v.setCookie(c.sessions.begin(name, time.Now()), int(signInTime.Seconds()))
	return v.Finish(Path)
}

// isAdminKey compares hashes, so that the time taken tells neither content nor length.
func (c *Console) isAdminKey(given string) bool {
	got, want := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(c.cfg.AdminKey))
	return c.cfg.AdminKey != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// nameOf returns the name of a person, as Holdfast-Actor has it in a request of the API. Errors:
// problem.ValidationFailed.
func nameOf(text string) (string, error) {
	name := strings.TrimSpace(text)
	unreadable := func(r rune) bool { return r < ' ' || r > '~' }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, unreadable) {
		return "", problem.Invalid("Your name", "invalid_format", "Expected 1 to 100 ASCII characters.")
	}
	return name, nil
}

// signOut has the browser forget its secret. No server keeps a list of sign-ins: a copy of the secret works until its
// eight hours are over.
func (c *Console) signOut(v *visit) error {
	v.setCookie("", -1)
	return v.Finish(path("sign-in") + "?" + web.FieldDone + "=signed_out")
}

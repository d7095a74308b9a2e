package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// signInPage asks for the admin key.
type signInPage struct {
	Path   string // of the form
	Name   string // as it was typed
	Notice string // what has just happened
	Wrong  string // what was wrong
}

func (c *Console) showSignIn(v *visit) error {
	page := signInPage{Path: path("sign-in")}
	if v.query.Get(fieldDone) == "signed_out" {
		page.Notice = "You are signed out."
	}
	return c.render(v, http.StatusOK, "sign_in", "Sign in", page)
}

// signIn signs in whoever knows the admin key. Wrong keys are counted by address.
func (c *Console) signIn(v *visit) error {
	name, err := nameOf(v.form.Get("name"))
	if err != nil {
		return c.notSignedIn(v, err)
	}
	giveBack, err := c.cfg.Admission.TakeSignIn(v.c)
	if err != nil {
		return c.notSignedIn(v, err)
	}
	if !c.isAdminKey(v.form.Get("admin_key")) {
		return c.notSignedIn(v, problem.New(problem.Forbidden, "This isn't the server's admin key."))
	}
	giveBack()
	c.setCookie(v, c.sessions.begin(name, time.Now()), int(signInTime.Seconds()))
	return v.redirect(Path)
}

// isAdminKey compares hashes, so that the time taken tells neither content nor length.
func (c *Console) isAdminKey(given string) bool {
	got, want := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(c.cfg.AdminKey))
	return c.cfg.AdminKey != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// notSignedIn shows the form again with what was wrong.
func (c *Console) notSignedIn(v *visit, err error) error {
	document := problem.DocumentOf(err)
	edge.NoteProblem(v.ctx(), document)
	for header, values := range document.GetHeaders() {
		if header == "Retry-After" {
			v.c.Writer.Header()[header] = values
		}
	}
	wrong := document.Detail
	for _, f := range document.Errors {
		wrong = "Your name: " + f.Detail
	}
	page := signInPage{Path: path("sign-in"), Wrong: wrong}
	if len(document.Errors) == 0 {
		page.Name = v.form.Get("name")
	}
	return c.render(v, document.Status, "sign_in", "Sign in", page)
}

// nameOf returns the name of a person, as Holdfast-Actor has it in a request of the API. Errors: problem.ValidationFailed.
func nameOf(text string) (string, error) {
	name := strings.TrimSpace(text)
	unreadable := func(r rune) bool { return r < ' ' || r > '~' }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, unreadable) {
		return "", problem.Invalid("name", "invalid_format", "Expected 1 to 100 ASCII characters.")
	}
	return name, nil
}

// signOut has the browser forget its secret. No server keeps a list of sign-ins: a copy of the secret works until its eight hours are over.
func (c *Console) signOut(v *visit) error {
	c.setCookie(v, "", -1)
	return v.redirect(path("sign-in") + "?" + fieldDone + "=signed_out")
}

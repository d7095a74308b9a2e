package console

import (
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/console/frame"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/user"
	"holdfast/internal/web"
)

// signInPage asks for an email, to which a link is sent.
type signInPage struct {
	Path string // of the form
	// Asked says that a link was asked for, whether or not the email is a user's.
	Asked      bool
	SendsEmail bool
	Provider   string // path that leads to the provider; empty without one
	Notice     string // what has just happened
}

func (s section) signInPage(v *frame.Visit) signInPage {
	page := signInPage{Path: v.Path("sign-in"), SendsEmail: s.sendsEmail}
	if s.oidc != nil {
		page.Provider = v.Path("oidc")
	}
	return page
}

func (s section) showSignIn(v *frame.Visit) error {
	page := s.signInPage(v)
	title := "Sign in"
	switch v.Query.Get(web.FieldDone) {
	case "signed_out":
		page.Notice = "You are signed out."
	case "asked":
		page, title = signInPage{Asked: true}, "Look into your mailbox"
	}
	return s.Render(v, http.StatusOK, "sign_in", title, page)
}

// requestLink has a link emailed. The next page says the same whether or not there is such a tenant and such a user.
func (s section) requestLink(v *frame.Visit) error {
	t, err := s.Tenants.ForVisitors(v.Context(), v.C.Param("slug"), uuid.Nil)
	if err == nil {
		err = s.Users.RequestLink(v.Context(), t, v.Form.Get("email"))
	}
	if err != nil && !problem.Is(err, problem.NotFound) {
		return err
	}
	return v.Finish(v.Path("sign-in") + "?" + web.FieldDone + "=asked")
}

// enterPage asks the person to sign in. Programs that look at the links of emails press no buttons.
type enterPage struct {
	Path  string // of the form
	Name  string
	Email string
}

func (s section) showLink(v *frame.Visit) error {
	token, err := s.linkToken(v)
	if err != nil {
		return s.linkEnded(v, err)
	}
	u, err := s.Users.Linked(v.Context(), token)
	if err != nil {
		return s.linkEnded(v, err)
	}
	return s.Render(v, http.StatusOK, "enter", "Sign in",
		enterPage{Path: v.Path("enter", v.C.Param("token")), Name: u.Name, Email: u.Email})
}

// linkToken returns what stands in a sign-in link. Errors: problem.NotFound for the link of another tenant, which would
// be used up here.
func (s section) linkToken(v *frame.Visit) (string, error) {
	token := v.C.Param("token")
	of, ok := user.TenantOf(token)
	if !ok {
		return "", problem.Missing()
	}
	t, err := s.Tenants.ForVisitors(v.Context(), "", of)
	switch {
	case problem.Is(err, problem.NotFound): // the tenant is suspended, as the next page says
		return token, nil
	case err != nil:
		return "", err
	case t.Slug != v.C.Param("slug"):
		return "", problem.Missing()
	}
	return token, nil
}

func (s section) signIn(v *frame.Visit) error {
	var secret string
	token, err := s.linkToken(v)
	if err == nil {
		secret, _, err = s.Users.SignIn(v.Context(), token)
	}
	if problem.Is(err, problem.NotFound) { // the page of the link says so
		edge.NoteProblem(v.Context(), problem.DocumentOf(err))
		return v.Finish(v.Path("enter", v.C.Param("token")))
	}
	if err != nil {
		return err
	}
	v.SetSecret(v.Path(), secret, int(user.SignInTime.Seconds()))
	return v.Finish(v.Path())
}

// linkEnded says that a link doesn't work, and how to get another one.
func (s section) linkEnded(v *frame.Visit, err error) error {
	if !problem.Is(err, problem.NotFound) {
		return err
	}
	document := problem.DocumentOf(err)
	edge.NoteProblem(v.Context(), document)
	page := s.signInPage(v)
	page.Notice = "The link was used already, or it is too old."
	return s.Render(v, document.Status, "sign_in", "Sign in", page)
}

func (s section) signOut(v *frame.Visit) error {
	if err := s.Users.SignOut(v.Context(), *v.Session); err != nil {
		return err
	}
	v.SetSecret(v.Path(), "", -1)
	return v.Finish(v.Path("sign-in") + "?" + web.FieldDone + "=signed_out")
}

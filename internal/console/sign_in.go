package console

import (
	"net/http"

	"github.com/google/uuid"

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

func (c *Console) signInPage(v *visit) signInPage {
	page := signInPage{Path: v.path("sign-in"), SendsEmail: c.sendsEmail}
	if c.oidc != nil {
		page.Provider = v.path("oidc")
	}
	return page
}

func (c *Console) showSignIn(v *visit) error {
	page := c.signInPage(v)
	title := "Sign in"
	switch v.Query.Get(web.FieldDone) {
	case "signed_out":
		page.Notice = "You are signed out."
	case "asked":
		page, title = signInPage{Asked: true}, "Look into your mailbox"
	}
	return c.render(v, http.StatusOK, "sign_in", title, page)
}

// requestLink has a link emailed. The next page says the same whether or not there is such a tenant and such a user.
func (c *Console) requestLink(v *visit) error {
	t, err := c.Tenants.ForVisitors(v.ctx(), v.C.Param("slug"), uuid.Nil)
	if err == nil {
		err = c.Users.RequestLink(v.ctx(), t, v.Form.Get("email"))
	}
	if err != nil && !problem.Is(err, problem.NotFound) {
		return err
	}
	return v.Finish(v.path("sign-in") + "?" + web.FieldDone + "=asked")
}

// enterPage asks the person to sign in. Programs that look at the links of emails press no buttons.
type enterPage struct {
	Path  string // of the form
	Name  string
	Email string
}

func (c *Console) showLink(v *visit) error {
	token, err := c.linkToken(v)
	if err != nil {
		return c.linkEnded(v, err)
	}
	u, err := c.Users.Linked(v.ctx(), token)
	if err != nil {
		return c.linkEnded(v, err)
	}
	return c.render(v, http.StatusOK, "enter", "Sign in",
		enterPage{Path: v.path("enter", v.C.Param("token")), Name: u.Name, Email: u.Email})
}

// linkToken returns what stands in a sign-in link. Errors: problem.NotFound for the link of another tenant, which would be used up here.
func (c *Console) linkToken(v *visit) (string, error) {
	token := v.C.Param("token")
	of, ok := user.TenantOf(token)
	if !ok {
		return "", problem.Missing()
	}
	t, err := c.Tenants.ForVisitors(v.ctx(), "", of)
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

func (c *Console) signIn(v *visit) error {
	var secret string
	token, err := c.linkToken(v)
	if err == nil {
		secret, _, err = c.Users.SignIn(v.ctx(), token)
	}
	if problem.Is(err, problem.NotFound) { // the page of the link says so
		edge.NoteProblem(v.ctx(), problem.DocumentOf(err))
		return v.Finish(v.path("enter", v.C.Param("token")))
	}
	if err != nil {
		return err
	}
	v.setCookie(v.path(), secret, int(user.SignInTime.Seconds()))
	return v.Finish(v.path())
}

// linkEnded says that a link doesn't work, and how to get another one.
func (c *Console) linkEnded(v *visit, err error) error {
	if !problem.Is(err, problem.NotFound) {
		return err
	}
	document := problem.DocumentOf(err)
	edge.NoteProblem(v.ctx(), document)
	page := c.signInPage(v)
	page.Notice = "The link was used already, or it is too old."
	return c.render(v, document.Status, "sign_in", "Sign in", page)
}

func (c *Console) signOut(v *visit) error {
	if err := c.Users.SignOut(v.ctx(), *v.session); err != nil {
		return err
	}
	v.setCookie(v.path(), "", -1)
	return v.Finish(v.path("sign-in") + "?" + web.FieldDone + "=signed_out")
}

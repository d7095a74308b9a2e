package console

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"holdfast/internal/console/frame"
	"holdfast/internal/problem"
	"holdfast/internal/user"
)

// OIDC is an OpenID Connect provider at which people sign in. The zero value is none.
type OIDC struct {
	Issuer, ClientID, ClientSecret string
	// TrustEmail believes an email of which the provider doesn't say whether it is confirmed. One that the provider
	// says isn't confirmed is refused all the same.
	TrustEmail bool
}

// CallbackPath is where the provider sends people back to. It has no tenant: the state has.
const CallbackPath = "/oidc/callback"

// slugOfState returns the slug of the tenant that the state of a callback is about.
func slugOfState(state string) string {
	slug, _, _ := strings.Cut(state, ".")
	return slug
}

const (
	// oidcCookie begins the name of the cookie with what the callback is compared with, for oidcTime. Each way to the
	// provider has one of its own, so that a person can begin in two tabs.
	oidcCookie = "holdfast_oidc_"
	// oidcCookieChars is how much of the random part of a state names its cookie.
	oidcCookieChars = 8
	// oidcStateChars are the characters of that part: see rand.Text.
	oidcStateChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	oidcTime       = 10 * time.Minute
	// oidcTimeout bounds each call of the provider.
	oidcTimeout = 10 * time.Second
)

// oidcClient asks a provider. It finds out where the provider's endpoints are when it is first asked for, and again
// after a failure.
type oidcClient struct {
	OIDC

	callback string // URL
	http     *http.Client

	provider atomic.Pointer[oidc.Provider]
}

func newOIDCClient(of OIDC, publicURL string) *oidcClient {
	if of.Issuer == "" {
		return nil
	}
	return &oidcClient{OIDC: of, callback: strings.TrimSuffix(publicURL, "/") + CallbackPath,
		http: &http.Client{Timeout: oidcTimeout}}
}

// config returns the provider, and what it is asked with. Errors: problem.ProviderUnavailable.
func (o *oidcClient) config(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p := o.provider.Load()
	if p == nil {
		// The provider fetches its keys later, when this request has ended.
		var err error
		p, err = oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), o.http), o.Issuer)
		if err != nil {
			return nil, nil, problem.Wrap(err, problem.ProviderUnavailable,
				"The provider at which people sign in doesn't answer.")
		}
		o.provider.Store(p)
	}
	return p, &oauth2.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: o.callback, Endpoint: p.Endpoint(),
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}, nil
}

// oidcVisit is what a browser keeps between the way to the provider and the way back (OpenID Connect Core 1.0, section
// 3.1.2.1; RFC 7636).
type oidcVisit struct {
	State, Nonce, Verifier string
}

// toProvider leads to the provider.
func (s section) toProvider(v *frame.Visit) error {
	_, config, err := s.oidc.config(v.Context())
	if err != nil {
		return err
	}
	visit := oidcVisit{State: v.C.Param("slug") + "." + rand.Text(), Nonce: rand.Text(),
		Verifier: oauth2.GenerateVerifier()}
	kept, err := json.Marshal(visit)
	if err != nil {
		return err
	}
	setOIDCCookie(v, visit.State, base64.RawURLEncoding.EncodeToString(kept), int(oidcTime.Seconds()))
	return v.Finish(config.AuthCodeURL(visit.State, oidc.Nonce(visit.Nonce),
		oauth2.S256ChallengeOption(visit.Verifier)))
}

// fromProvider signs in whom the provider sends back, if the provider has confirmed the email and a user of the tenant
// has it.
func (s section) fromProvider(v *frame.Visit) error {
	kept, ok := oidcVisitOf(v, v.Query.Get("state"))
	if !ok {
		return problem.New(problem.Forbidden,
			"This way to sign in was begun in another browser, or too long ago. Begin again.")
	}
	setOIDCCookie(v, kept.State, "", -1)
	if v.Query.Get("error") != "" || v.Query.Get("code") == "" {
		return problem.New(problem.Forbidden, "The provider didn't sign you in.")
	}
	t, err := s.Tenants.ForVisitors(v.Context(), slugOfState(kept.State), uuid.Nil)
	if err != nil {
		return err
	}
	address, err := s.oidc.email(v.Context(), v.Query.Get("code"), kept)
	if err != nil {
		return err
	}
	secret, _, err := s.Users.SignInByEmail(v.Context(), t, address)
	if problem.Is(err, problem.NotFound) {
		return problem.Wrap(err, problem.Forbidden,
			"No user of this business has the email that the provider names. Ask an owner to invite you.")
	}
	if err != nil {
		return err
	}
	home := "/console/" + url.PathEscape(t.Slug)
	v.SetSecret(home, secret, int(user.SignInTime.Seconds()))
	return v.Finish(home)
}

// email returns the email that the provider has confirmed of the person whom a code stands for. Errors:
// problem.Forbidden for a code that isn't for this visit, and for an email that isn't confirmed;
// problem.ProviderUnavailable.
func (o *oidcClient) email(ctx context.Context, code string, kept oidcVisit) (string, error) {
	provider, config, err := o.config(ctx)
	if err != nil {
		return "", err
	}
	ctx = oidc.ClientContext(ctx, o.http)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(kept.Verifier))
	if refused := new(oauth2.RetrieveError); err != nil && errors.As(err, &refused) &&
		refused.Response.StatusCode < http.StatusInternalServerError {
		return "", problem.Wrap(err, problem.Forbidden, "The provider doesn't accept the code. Begin again.")
	}
	if err != nil {
		return "", problem.Wrap(err, problem.ProviderUnavailable,
			"The provider at which people sign in doesn't answer.")
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: o.ClientID}).Verify(ctx, raw)
	if err != nil || id.Nonce != kept.Nonce {
		return "", problem.Wrap(err, problem.Forbidden,
			"The provider's answer isn't for this way to sign in. Begin again.")
	}
	claims := struct {
		Email      string `json:"email"`
		Verified   claim  `json:"email_verified"`
		Authorized string `json:"azp"` // OpenID Connect Core 1.0, section 3.1.3.7
	}{}
	if err := id.Claims(&claims); err != nil {
		return "", problem.Wrap(err, problem.Forbidden, "The provider's answer can't be read.")
	}
	if claims.Authorized != "" && claims.Authorized != o.ClientID {
		return "", problem.New(problem.Forbidden, "The provider's answer is for another program.")
	}
	if claims.Email == "" { // some providers tell it only when they are asked for it
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Subject != id.Subject {
			return "", problem.Wrap(err, problem.Forbidden, "The provider doesn't say who you are.")
		}
		claims.Email = info.Email
		told := struct {
			Verified claim `json:"email_verified"`
		}{}
		if err := info.Claims(&told); err != nil {
			return "", problem.Wrap(err, problem.Forbidden, "The provider's answer can't be read.")
		}
		claims.Verified = told.Verified
	}
	if claims.Verified != claimTrue && (claims.Verified != claimAbsent || !o.TrustEmail) {
		return "", problem.New(problem.Forbidden, "The provider hasn't confirmed your email.")
	}
	return claims.Email, nil
}

// claim is a claim that is true, false or absent. Some providers send it as text.
type claim string

const (
	claimAbsent claim = ""
	claimFalse  claim = "false"
	claimTrue   claim = "true"
)

// UnmarshalJSON reads true and false, also as text. null is absent. Anything else is an error.
func (c *claim) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case `true`, `"true"`:
		*c = claimTrue
	case `false`, `"false"`:
		*c = claimFalse
	case `null`:
	default:
		return errors.New("a claim that is neither true nor false")
	}
	return nil
}

// oidcCookieOf returns the name of a state's cookie; false for a state that none has.
func oidcCookieOf(state string) (name string, ok bool) {
	_, random, _ := strings.Cut(state, ".")
	if len(random) < oidcCookieChars || strings.Trim(random, oidcStateChars) != "" {
		return "", false
	}
	return oidcCookie + random[:oidcCookieChars], true
}

// oidcVisitOf returns what the browser kept of the visit of a state; false if it kept nothing that can be read.
func oidcVisitOf(v *frame.Visit, state string) (kept oidcVisit, ok bool) {
	name, ok := oidcCookieOf(state)
	if !ok {
		return kept, false
	}
	text, err := v.C.Cookie(name)
	if err != nil {
		return kept, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return kept, err == nil && json.Unmarshal(raw, &kept) == nil && kept.State == state
}

// setOIDCCookie sets the cookie of a state that toProvider made.
func setOIDCCookie(v *frame.Visit, state, value string, seconds int) {
	name, _ := oidcCookieOf(state)
	v.SetCookie(name, value, CallbackPath, seconds, http.SameSiteLaxMode)
}

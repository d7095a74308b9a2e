package sandbox

import (
	"bytes"
	"crypto/rand"
	"errors"
	"html/template"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Accounts of businesses. A new one can't do anything until somebody has pressed the button of its onboarding's page,
// whose address is good for an hour. The page needs no key, because its token can't be guessed.

const pathOnboarding = "/onboarding/"

// linkLifetime is how long the address of an onboarding is good.
const linkLifetime = time.Hour

type accountRequest struct {
	TenantID uuid.UUID `json:"tenant_id"`
	Country  string    `json:"country,omitempty"`
}

type account struct {
	ID string `json:"id"`
	accountRequest
	Onboarded bool      `json:"onboarded"`
	CreatedAt time.Time `json:"created_at"`
}

type linkRequest struct {
	ReturnURL  string `json:"return_url"`
	RefreshURL string `json:"refresh_url"`
}

// link is the address of an onboarding.
type link struct {
	URL       string    `json:"url,omitempty"` // not in the journal: it has the request's host
	Account   string    `json:"account"`
	ExpiresAt time.Time `json:"expires_at"`
	linkRequest
}

var errNoAccount = &apiError{errorDetail{codeNoAccount, "There is no such account."}, http.StatusForbidden}

// accountOf returns the account in which a request acts, empty for the platform's own.
func accountOf(r *http.Request) string { return r.Header.Get(headerAccount) }

func (s *Server) account(id string) (account, error) {
	found, err := read(s.journal, func(e entries) (account, error) { return get[account](e, bucketAccounts, id) })
	if errors.Is(err, errNotFound) {
		err = errNoAccount
	}
	return found, err
}

// checkAccount returns errNoAccount for a request in an account that doesn't exist.
func (s *Server) checkAccount(r *http.Request) error {
	if accountOf(r) == "" {
		return nil
	}
	_, err := s.account(accountOf(r))
	return err
}

// checkCharge returns an *apiError for a charge that can't be made in its account.
func (s *Server) checkCharge(r *http.Request, q chargeRequest) error {
	switch {
	case q.ApplicationFee < 0 || q.ApplicationFee > q.Amount:
		return invalid("application_fee must be from 0 to amount")
	case accountOf(r) == "" && q.ApplicationFee > 0:
		return invalid("application_fee is for charges in an account")
	case accountOf(r) == "":
		return nil
	}
	a, err := s.account(accountOf(r))
	if err == nil && !a.Onboarded {
		err = invalid("the account can't take payments yet")
	}
	return err
}

// chargeIn returns the charge of a request if it was made in the request's account, else errNotFound.
func (s *Server) chargeIn(r *http.Request) (charge, error) {
	c, err := s.journal.charge(r.PathValue("id"))
	if err == nil && c.Account != accountOf(r) {
		return charge{}, errNotFound
	}
	return c, err
}

// share returns what part of whole is of fee, rounded down. All three are small enough for a test.
func share(fee, part, whole int64) int64 { return fee * part / whole }

func (s *Server) createAccount(r *http.Request) response {
	var q accountRequest
	if err := decode(r, &q); err != nil {
		return s.failure(err)
	}
	if q.TenantID == uuid.Nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, "tenant_id must be a UUID.")
	}
	return s.executeOnce(r, order{params: q, execute: func(e entries, now time.Time) (any, error) {
		a := account{ID: "acct_" + rand.Text(), accountRequest: q, CreatedAt: now}
		return a, e.write(bucketAccounts, []byte(a.ID), a)
	}}, "")
}

func (s *Server) getAccount(r *http.Request) response {
	a, err := s.account(r.PathValue("id"))
	return s.lookupResponse(a, err)
}

func (s *Server) createLink(r *http.Request) response {
	l := link{Account: r.PathValue("id"), ExpiresAt: s.cfg.Now().UTC().Add(linkLifetime)}
	if err := decode(r, &l.linkRequest); err != nil {
		return s.failure(err)
	}
	if _, err := s.account(l.Account); err != nil {
		return s.failure(err)
	}
	for _, page := range []string{l.ReturnURL, l.RefreshURL} {
		if err := (&checkout{ReturnURL: page, ExpiresAt: l.ExpiresAt}).check(); err != nil {
			return s.failure(err)
		}
	}
	token := rand.Text()
	if err := s.journal.write(func(e entries) error { return e.write(bucketLinks, []byte(token), l) }); err != nil {
		return s.failure(err)
	}
	l.URL = "http://" + r.Host + pathOnboarding + token
	return jsonResponse(http.StatusCreated, l)
}

var onboardingPage = template.Must(template.New("onboarding").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox onboarding</title></head>
<body><main>
<p><strong>Sandbox.</strong> This is a test. No money moves.</p>
<h1>Onboarding of {{.Account}}</h1>
<p>A real provider asks here for the business, its owners and its bank account.</p>
<form method="post">
<button name="outcome" value="complete">Finish the onboarding</button> <button name="outcome" value="later">Go back without</button>
</form>
</main></body></html>
`))

// linkOf returns the onboarding of a page, or errNotFound. One that is too old sends its visitor to where a new one is
// made, and ok is false.
func (s *Server) linkOf(w http.ResponseWriter, r *http.Request) (l link, ok bool) {
	l, err := read(s.journal, func(e entries) (link, error) { return get[link](e, bucketLinks, r.PathValue("token")) })
	w.Header().Set("Referrer-Policy", "no-referrer") // the page's address is its key
	switch {
	case err != nil:
		s.failure(err).send(w)
	case !s.cfg.Now().Before(l.ExpiresAt):
		http.Redirect(w, r, l.RefreshURL, http.StatusSeeOther)
	default:
		return l, true
	}
	return l, false
}

func (s *Server) showOnboarding(w http.ResponseWriter, r *http.Request) {
	l, ok := s.linkOf(w, r)
	if !ok {
		return
	}
	var page bytes.Buffer
	if err := onboardingPage.Execute(&page, l); err != nil {
		s.failure(err).send(w)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
}

// submitOnboarding does what a person chose, by the form value outcome, and sends the person back.
func (s *Server) submitOnboarding(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	l, ok := s.linkOf(w, r)
	if !ok {
		return
	}
	switch r.PostFormValue(outcomeParameter) {
	case "complete":
		if err := s.onboard(l.Account); err != nil {
			s.failure(err).send(w)
			return
		}
	case "later":
	default:
		errorResponse(http.StatusBadRequest, codeInvalid, "outcome must be complete or later.").send(w)
		return
	}
	http.Redirect(w, r, l.ReturnURL, http.StatusSeeOther)
}

// onboard lets an account do everything, and sends the event of it.
func (s *Server) onboard(id string) error {
	err := s.journal.write(func(e entries) error {
		a, err := get[account](e, bucketAccounts, id)
		if err != nil || a.Onboarded {
			return err
		}
		a.Onboarded = true
		if err := e.write(bucketAccounts, []byte(id), a); err != nil {
			return err
		}
		return s.queueEvent(e, event{
			ID: "evt_" + rand.Text(), Type: accountUpdated, CreatedAt: s.cfg.Now().UTC(), Account: id,
			TenantID: a.TenantID,
		})
	})
	s.webhooks.wakeUp()
	return err
}

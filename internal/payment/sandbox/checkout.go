package sandbox

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"time"

	"holdfast/internal/amount"
	"holdfast/internal/payment"
)

// The page of a charge with a checkout, on which a person pays, has the card declined, or goes back. Like a real
// provider's it stays open after a decline and after going back, until its end. It needs no key, because charge ids
// can't be guessed.

const pathCheckout = "/checkout/"

// What a person chooses on the page: the form values of outcomeParameter.
const (
	choicePay     = "pay"
	choiceDecline = "decline"
	choiceCancel  = "cancel"
)

var checkoutPage = template.Must(template.New("checkout").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox payment of {{.Amount}}</title>
<style>
body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
.sandbox { background: #fff3cd; border: 1px solid #8a6d00; padding: .5rem 1rem }
.declined { background: #fbe9e7; border: 1px solid #b3261e; padding: .5rem 1rem }
.amount { font-size: 2rem; margin: 1rem 0 0 }
button { font: inherit; display: block; width: 100%; padding: .75rem; margin: .75rem 0; border: 1px solid #1a1a1a; border-radius: .25rem;
  background: #fff; color: inherit; cursor: pointer }
button.pay { background: #0b5c2e; border-color: #0b5c2e; color: #fff }
</style>
</head>
<body>
<main>
<p class="sandbox"><strong>Sandbox.</strong> This is a test. No money moves.</p>
<h1>{{if .Open}}Pay{{else}}Payment{{end}}</h1>
<p class="amount">{{.Amount}}</p>
<p>{{.Description}}</p>
{{- if .Declined}}
<p class="declined" role="alert">The card was declined. Try again, or go back.</p>
{{- end}}
{{- if .Open}}
<form method="post">
<button class="pay" name="outcome" value="pay">Pay {{.Amount}}</button>
<button name="outcome" value="decline">Decline the card</button>
<button name="outcome" value="cancel">Go back without paying</button>
</form>
{{- else}}
<p>{{if .Paid}}This payment has been made.{{else}}This page has ended. Nothing was paid.{{end}}</p>
<p><a href="{{.Back}}">Go back</a></p>
{{- end}}
</main>
</body>
</html>
`))

// ended reports whether the page of an open charge is over.
func (c *charge) ended(now time.Time) bool {
	return c.Status == requiresAction && c.Checkout != nil && !now.Before(c.Checkout.ExpiresAt)
}

// back returns where the customer goes from the page.
func (c *charge) back() string {
	if c.Status == succeeded {
		return c.Checkout.ReturnURL
	}
	return cmp.Or(c.Checkout.CancelURL, c.Checkout.ReturnURL)
}

// current returns a charge as it is now: a page whose time is over declines its charge.
func (s *Server) current(c charge, err error) (charge, error) {
	if err == nil && c.ended(s.cfg.Now()) {
		c, _, err = s.endCharge(c.ID, payment.Cancelled)
	}
	return c, err
}

// checkoutOf returns the charge of a page, or errNotFound.
func (s *Server) checkoutOf(r *http.Request) (charge, error) {
	c, err := s.current(s.journal.charge(r.PathValue("id")))
	if err == nil && c.Checkout == nil {
		err = errNotFound
	}
	return c, err
}

func (s *Server) showCheckout(w http.ResponseWriter, r *http.Request) {
	c, err := s.checkoutOf(r)
	s.writeCheckout(w, http.StatusOK, c, false, err)
}

// submitCheckout does what a person chose, and sends the person back unless the card was declined.
func (s *Server) submitCheckout(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	choice := r.PostFormValue(outcomeParameter)
	c, err := s.checkoutOf(r)
	if err == nil && choice == choicePay {
		c, _, err = s.endCharge(c.ID, "")
	}
	switch {
	case err != nil:
		s.failure(err).send(w)
	case choice == choiceCancel, choice == choicePay && c.Status == succeeded:
		w.Header().Set("Referrer-Policy", "no-referrer")   // the page's address is its key
		http.Redirect(w, r, c.back(), http.StatusSeeOther) //nolint:gosec // G710: the order says where its page leads back to
	case choice != choicePay && choice != choiceDecline:
		errorResponse(http.StatusBadRequest, codeInvalid, "outcome must be pay, decline or cancel.").send(w)
	case c.Status == requiresAction:
		s.writeCheckout(w, http.StatusOK, c, true, nil)
	default:
		s.writeCheckout(w, http.StatusConflict, c, false, nil)
	}
}

func (s *Server) writeCheckout(w http.ResponseWriter, status int, c charge, cardDeclined bool, err error) {
	var page bytes.Buffer
	if err == nil {
		err = checkoutPage.Execute(&page, struct {
			Amount, Description, Back string
			Open, Paid, Declined      bool
		}{
			Amount: amount.Format(c.Amount, c.Currency), Description: c.Description, Back: c.back(),
			Open: c.Status == requiresAction, Paid: c.Status == succeeded, Declined: cardDeclined,
		})
	}
	if err != nil {
		s.failure(err).send(w)
		return
	}
	for name, value := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
		"Cache-Control":           "no-store",
		"Referrer-Policy":         "no-referrer",
	} {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = page.WriteTo(w)
}

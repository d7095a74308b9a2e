package sandbox

import (
	"bytes"
	"html/template"
	"net/http"
)

// The page on which a customer completes or fails a charge of pm_requires_action. It needs no key, because charge ids
// can't be guessed.

const pathActions = "/actions/"

var actionPage = template.Must(template.New("action").Parse(`<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox payment</title>
<h1>Sandbox payment</h1>
<p>{{.Amount}} minor units of {{.Currency}}. {{.Description}}</p>
{{if eq .Status "requires_action"}}<form method="post">
<button name="outcome" value="complete">Complete</button> <button name="outcome" value="fail">Fail</button>
</form>{{else}}<p>This payment has {{.Status}}.</p>{{end}}
`))

// withActionURL adds the URL of the page of a charge that waits, with the host of the request.
func withActionURL(r *http.Request, c charge) charge {
	path := pathActions
	if c.Checkout != nil {
		path = pathCheckout
	}
	if c.Status == requiresAction {
		c.ActionURL = "http://" + r.Host + path + c.ID
	}
	return c
}

// actionOf returns the charge of a page, or errNotFound.
func (s *Server) actionOf(r *http.Request) (charge, error) {
	c, err := s.journal.charge(r.PathValue("id"))
	if err == nil && c.Checkout != nil {
		err = errNotFound
	}
	return c, err
}

func (s *Server) showActionPage(w http.ResponseWriter, r *http.Request) {
	c, err := s.actionOf(r)
	s.writePage(w, c, err)
}

// submitAction ends a charge by the form value outcome, complete or fail.
func (s *Server) submitAction(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	declineCode, ok := map[string]string{"complete": "", "fail": codeActionFailed}[r.FormValue(outcomeParameter)]
	if !ok {
		errorResponse(http.StatusBadRequest, codeInvalid, "outcome must be complete or fail.").send(w)
		return
	}
	c, err := s.actionOf(r)
	var waited bool
	if err == nil {
		c, waited, err = s.endCharge(c.ID, declineCode)
	}
	if err == nil && !waited {
		errorResponse(http.StatusConflict, codeAlreadySettled, "This charge has "+string(c.Status)+" already.").send(w)
		return
	}
	s.writePage(w, c, err)
}

func (s *Server) writePage(w http.ResponseWriter, c charge, err error) {
	var page bytes.Buffer
	if err == nil {
		err = actionPage.Execute(&page, c)
	}
	if err != nil {
		s.failure(err).send(w)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
}

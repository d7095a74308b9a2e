package sandbox

import (
	"bytes"
	"errors"
	"html/template"
	"net/http"
)

// The page on which a customer completes or fails a charge of pm_requires_action. It needs no key, because charge ids can't
// be guessed.

const pathActions = "/actions/"

var actionPage = template.Must(template.New("action").Parse(`<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sandbox payment</title>
<h1>Sandbox payment</h1>
<p>{{.Amount}} minor units of {{.Currency}}. {{.Description}}</p>
{{if eq .Status "requires_action"}}<form method="post">
<button name="outcome" value="complete">Complete</button> <button name="outcome" value="fail">Fail</button>
</form>{{else}}<p>This payment has {{.Status}}.</p>{{end}}
`))

func actionURL(r *http.Request, id string) string { return "http://" + r.Host + pathActions + id }

// withActionURL adds the action's URL, with the host of the request.
func withActionURL(r *http.Request, c charge) charge {
	if c.Status == requiresAction {
		c.ActionURL = actionURL(r, c.ID)
	}
	return c
}

func (s *Server) showActionPage(w http.ResponseWriter, r *http.Request) {
	var c charge
	err := s.journal.read(func(e entries) (err error) {
		c, err = e.charge(r.PathValue("id"))
		return err
	})
	s.writePage(w, c, err)
}

// submitAction ends a charge by the form value outcome, complete or fail.
func (s *Server) submitAction(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	outcome := r.FormValue(outcomeParameter)
	if outcome != "complete" && outcome != "fail" {
		errorResponse(http.StatusBadRequest, codeInvalid, "outcome must be complete or fail.").send(w)
		return
	}
	var c charge
	err := s.journal.write(func(e entries) (err error) {
		if c, err = e.charge(r.PathValue("id")); err != nil {
			return err
		}
		if c.Status != requiresAction {
			return errNotWaiting
		}
		c.finishAction(outcome == "complete", s.cfg.Now().UTC())
		return s.saveCharge(e, c)
	})
	s.webhooks.wakeUp()
	s.writePage(w, c, err)
}

var errNotWaiting = errors.New("sandbox: the charge is settled")

func (s *Server) writePage(w http.ResponseWriter, c charge, err error) {
	if errors.Is(err, errNotWaiting) {
		errorResponse(http.StatusConflict, codeAlreadySettled, "This charge has "+string(c.Status)+" already.").send(w)
		return
	}
	var page bytes.Buffer
	if err == nil {
		err = actionPage.Execute(&page, c)
	}
	if err != nil {
		s.lookupResponse(nil, err).send(w)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
}

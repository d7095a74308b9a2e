package sandbox

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/charges", s.route(Charges, s.createCharge))
	mux.Handle("POST /v1/refunds", s.route(Refunds, s.createRefund))
	mux.Handle("GET /v1/charges", s.route(Lookups, s.listCharges))
	mux.Handle("GET /v1/charges/{id}", s.route(Lookups, s.getCharge))
	mux.Handle("POST /v1/charges/{id}/cancel", s.route(Cancellations, s.cancelCharge))
	mux.Handle("GET /v1/refunds", s.route(Lookups, s.listRefunds))
	mux.Handle("GET /v1/refunds/{id}", s.route(Lookups, s.getRefund))
	mux.Handle("GET /v1/movements", s.route(Lookups, s.listTransactions))
	mux.Handle("GET /admin/faults", s.admin(s.getFaults))
	mux.Handle("POST /admin/faults", s.admin(s.postFault))
	mux.Handle("DELETE /admin/faults", s.admin(s.deleteFaults))
	mux.Handle("PUT /admin/webhook", s.admin(s.putWebhook))
	mux.HandleFunc("GET "+pathActions+"{id}", s.showActionPage)
	mux.HandleFunc("POST "+pathActions+"{id}", s.submitAction)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		errorResponse(http.StatusNotFound, codeNotFound, "There is no such endpoint.").send(w)
	})
	return mux
}

// response is the response to a request.
type response struct {
	status     int
	body       []byte
	replayed   bool
	disconnect bool // close the connection without a response
}

func jsonResponse(status int, v any) response {
	body, err := json.Marshal(v)
	if err != nil {
		return errorResponse(http.StatusInternalServerError, codeInternal, "The answer can't be written.")
	}
	return response{status: status, body: body}
}

func errorResponse(status int, code errorCode, message string) response {
	return jsonResponse(status, errorDocument{Error: errorDetail{Code: code, Message: message}})
}

// journalError logs a failure of the journal and returns the response.
func (s *Server) journalError(err error) response {
	s.log.Error("the sandbox's journal", "error", err)
	return errorResponse(http.StatusInternalServerError, codeInternal, "The journal can't be used.")
}

func (resp response) send(w http.ResponseWriter) {
	if resp.disconnect {
		panic(http.ErrAbortHandler) // the server then closes the connection
	}
	w.Header().Set("Content-Type", "application/json")
	if resp.replayed {
		w.Header().Set(headerReplayed, "true")
	}
	if resp.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(resp.status)
	_, _ = w.Write(resp.body)
}

// route handles an endpoint of the API and applies the faults that match the request.
func (s *Server) route(on Target, endpoint func(*http.Request, FaultKind) response) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			errorResponse(http.StatusUnauthorized, codeUnauthorized, "The Authorization header has no valid key.").send(w)
			return
		}
		fault := s.faults.forRequest(on)
		switch fault.Kind {
		case ErrorBefore:
			errorResponse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.").send(w)
			return
		case Unavailable:
			errorResponse(http.StatusServiceUnavailable, codeUnavailable, "The sandbox is unavailable, as was asked for.").send(w)
			return
		case RateLimit:
			errorResponse(http.StatusTooManyRequests, codeRateLimited, "Too many requests, as was asked for.").send(w)
			return
		case DropBefore:
			response{disconnect: true}.send(w)
		default: // no fault, or one that applies later
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		resp := endpoint(r, fault.Kind)
		switch fault.Kind {
		case DropAfter:
			resp = response{disconnect: true}
		case ErrorDuring, ErrorAfter:
			if on == Lookups || on == Cancellations {
				resp = errorResponse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.")
			}
		case Delay:
			s.sleep(fault.Delay)
		default:
		}
		resp.send(w)
	}
}

// decode reads the body into v. It returns an error response, or nil.
func decode(r *http.Request, v any) *response {
	err := json.UnmarshalRead(r.Body, v, json.RejectUnknownMembers(true))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		resp := errorResponse(http.StatusRequestEntityTooLarge, codeBodyTooLarge, "The body is too large.")
		return &resp
	case err != nil:
		resp := errorResponse(http.StatusBadRequest, codeInvalid, "The body is not what this endpoint takes: "+err.Error())
		return &resp
	}
	return nil
}

// admin handles an endpoint for operators of the sandbox.
func (s *Server) admin(endpoint func(*http.Request) response) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			errorResponse(http.StatusUnauthorized, codeUnauthorized, "The Authorization header has no valid key.").send(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		endpoint(r).send(w)
	}
}

// faultDocument is a Fault in the API, with durations in milliseconds.
type faultDocument struct {
	Kind        FaultKind `json:"kind"`
	On          Target    `json:"on,omitempty"`
	Count       int       `json:"count,omitzero"`
	Probability float64   `json:"probability,omitzero"`
	Seed        uint64    `json:"seed,omitzero"`
	DelayMS     int64     `json:"delay_ms,omitzero"`
	ForMS       int64     `json:"for_ms,omitzero"`
}

func (s *Server) getFaults(*http.Request) response {
	all := list[faultDocument]{Data: []faultDocument{}}
	for _, f := range s.faults.list() {
		all.Data = append(all.Data, faultDocument{
			Kind: f.Kind, On: f.On, Count: f.Count, Probability: f.Probability, Seed: f.Seed,
			DelayMS: f.Delay.Milliseconds(), ForMS: f.For.Milliseconds(),
		})
	}
	return jsonResponse(http.StatusOK, all)
}

func (s *Server) postFault(r *http.Request) response {
	var d faultDocument
	if refusal := decode(r, &d); refusal != nil {
		return *refusal
	}
	if longest := int64(1<<63-1) / int64(time.Millisecond); min(d.DelayMS, d.ForMS) < 0 || max(d.DelayMS, d.ForMS) > longest {
		return errorResponse(http.StatusBadRequest, codeInvalid, "delay_ms or for_ms is negative or too large.")
	}
	f := Fault{
		Kind: d.Kind, On: d.On, Count: d.Count, Probability: d.Probability, Seed: d.Seed,
		Delay: time.Duration(d.DelayMS) * time.Millisecond, For: time.Duration(d.ForMS) * time.Millisecond,
	}
	if err := f.check(); err != nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	if f.Kind == Down { // after the response, which would otherwise be cut off
		s.background.Go(func() { s.stopServing(f.For) })
	} else {
		s.faults.add(f)
	}
	return jsonResponse(http.StatusCreated, d)
}

func (s *Server) deleteFaults(*http.Request) response {
	s.ClearFaults()
	return jsonResponse(http.StatusOK, list[faultDocument]{Data: []faultDocument{}})
}

type webhookDocument struct {
	URL string `json:"url"`
}

func (s *Server) putWebhook(r *http.Request) response {
	var d webhookDocument
	if refusal := decode(r, &d); refusal != nil {
		return *refusal
	}
	if u, err := url.Parse(d.URL); d.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return errorResponse(http.StatusBadRequest, codeInvalid, "url must be an absolute http or https URL, or empty.")
	}
	s.SetWebhook(d.URL)
	return jsonResponse(http.StatusOK, d)
}

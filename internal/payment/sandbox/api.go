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
	mux.Handle("POST /v1/charges", s.route(Charges, s.placeCharge))
	mux.Handle("POST /v1/refunds", s.route(Refunds, s.placeRefund))
	mux.Handle("GET /v1/charges", s.route(Lookups, s.listCharges))
	mux.Handle("GET /v1/charges/{id}", s.route(Lookups, s.getCharge))
	mux.Handle("POST /v1/charges/{id}/cancel", s.route(Cancellations, s.cancelCharge))
	mux.Handle("GET /v1/refunds", s.route(Lookups, s.listRefunds))
	mux.Handle("GET /v1/refunds/{id}", s.route(Lookups, s.getRefund))
	mux.Handle("GET /v1/movements", s.route(Lookups, s.listMovements))
	mux.Handle("GET /admin/faults", s.admin(s.getFaults))
	mux.Handle("POST /admin/faults", s.admin(s.postFault))
	mux.Handle("DELETE /admin/faults", s.admin(s.deleteFaults))
	mux.Handle("PUT /admin/webhook", s.admin(s.putWebhook))
	mux.HandleFunc("GET "+pathActions+"{id}", s.showAction)
	mux.HandleFunc("POST "+pathActions+"{id}", s.takeAction)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(http.StatusNotFound, codeNotFound, "There is no such endpoint.").write(w)
	})
	return mux
}

// answer is what a request is answered with.
type answer struct {
	status   int
	body     []byte
	replayed bool
	cut      bool // the connection is closed instead
}

func respond(status int, v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		return refuse(http.StatusInternalServerError, codeInternal, "The answer can't be written.")
	}
	return answer{status: status, body: body}
}

func refuse(status int, code errorCode, message string) answer {
	return respond(status, errorDocument{Error: errorDetail{Code: code, Message: message}})
}

// broken answers what is the sandbox's own fault.
func (s *Server) broken(err error) answer {
	s.log.Error("the sandbox's journal", "error", err)
	return refuse(http.StatusInternalServerError, codeInternal, "The journal can't be used.")
}

func (a answer) write(w http.ResponseWriter) {
	if a.cut {
		panic(http.ErrAbortHandler) // the way to close a connection without an answer
	}
	w.Header().Set("Content-Type", "application/json")
	if a.replayed {
		w.Header().Set(headerReplayed, "true")
	}
	if a.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// route serves an endpoint of the API, with the faults that strike it.
func (s *Server) route(on Target, endpoint func(*http.Request, FaultKind) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			refuse(http.StatusUnauthorized, codeUnauthorized, "The Authorization header has no valid key.").write(w)
			return
		}
		fault := s.faults.ofRequest(on)
		switch fault.Kind {
		case ErrorBefore:
			refuse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.").write(w)
			return
		case Unavailable:
			refuse(http.StatusServiceUnavailable, codeUnavailable, "The sandbox is unavailable, as was asked for.").write(w)
			return
		case RateLimit:
			refuse(http.StatusTooManyRequests, codeRateLimited, "Too many requests, as was asked for.").write(w)
			return
		case DropBefore:
			answer{cut: true}.write(w)
		default: // strikes later, or nothing does
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		a := endpoint(r, fault.Kind)
		switch fault.Kind {
		case DropAfter:
			a = answer{cut: true}
		case ErrorDuring, ErrorAfter:
			if on == Lookups || on == Cancellations {
				a = refuse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.")
			}
		case Delay:
			s.sleep(fault.Delay)
		default:
		}
		a.write(w)
	}
}

// decode reads the body into v, or returns what to answer.
func decode(r *http.Request, v any) *answer {
	err := json.UnmarshalRead(r.Body, v, json.RejectUnknownMembers(true))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		a := refuse(http.StatusRequestEntityTooLarge, codeBodyTooLarge, "The body is too large.")
		return &a
	case err != nil:
		a := refuse(http.StatusBadRequest, codeInvalid, "The body is not what this endpoint takes: "+err.Error())
		return &a
	}
	return nil
}

// admin serves an endpoint of those who run the sandbox.
func (s *Server) admin(endpoint func(*http.Request) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			refuse(http.StatusUnauthorized, codeUnauthorized, "The Authorization header has no valid key.").write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		endpoint(r).write(w)
	}
}

// faultDocument is a Fault in the API, with its times in milliseconds.
type faultDocument struct {
	Kind        FaultKind `json:"kind"`
	On          Target    `json:"on,omitempty"`
	Count       int       `json:"count,omitzero"`
	Probability float64   `json:"probability,omitzero"`
	Seed        uint64    `json:"seed,omitzero"`
	DelayMS     int64     `json:"delay_ms,omitzero"`
	ForMS       int64     `json:"for_ms,omitzero"`
}

func (s *Server) getFaults(*http.Request) answer {
	all := list[faultDocument]{Data: []faultDocument{}}
	for _, f := range s.faults.list() {
		all.Data = append(all.Data, faultDocument{
			Kind: f.Kind, On: f.On, Count: f.Count, Probability: f.Probability, Seed: f.Seed,
			DelayMS: f.Delay.Milliseconds(), ForMS: f.For.Milliseconds(),
		})
	}
	return respond(http.StatusOK, all)
}

func (s *Server) postFault(r *http.Request) answer {
	var d faultDocument
	if refusal := decode(r, &d); refusal != nil {
		return *refusal
	}
	if longest := int64(1<<63-1) / int64(time.Millisecond); min(d.DelayMS, d.ForMS) < 0 || max(d.DelayMS, d.ForMS) > longest {
		return refuse(http.StatusBadRequest, codeInvalid, "delay_ms or for_ms is negative or too large.")
	}
	f := Fault{
		Kind: d.Kind, On: d.On, Count: d.Count, Probability: d.Probability, Seed: d.Seed,
		Delay: time.Duration(d.DelayMS) * time.Millisecond, For: time.Duration(d.ForMS) * time.Millisecond,
	}
	if err := f.check(); err != nil {
		return refuse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	if f.Kind == Down { // after this answer, which would otherwise be cut off
		s.background.Go(func() { s.goDown(f.For) })
	} else {
		s.faults.add(f)
	}
	return respond(http.StatusCreated, d)
}

func (s *Server) deleteFaults(*http.Request) answer {
	s.ClearFaults()
	return respond(http.StatusOK, list[faultDocument]{Data: []faultDocument{}})
}

type webhookDocument struct {
	URL string `json:"url"`
}

func (s *Server) putWebhook(r *http.Request) answer {
	var d webhookDocument
	if refusal := decode(r, &d); refusal != nil {
		return *refusal
	}
	if u, err := url.Parse(d.URL); d.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return refuse(http.StatusBadRequest, codeInvalid, "url must be an absolute http or https URL, or empty.")
	}
	s.SetWebhook(d.URL)
	return respond(http.StatusOK, d)
}

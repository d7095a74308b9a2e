package sandbox

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

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
	mux.Handle("POST /v1/accounts", s.authorized(s.createAccount))
	mux.Handle("GET /v1/accounts/{id}", s.authorized(s.getAccount))
	mux.Handle("POST /v1/accounts/{id}/onboarding_link", s.authorized(s.createLink))
	mux.Handle("GET /admin/faults", s.authorized(s.getFaults))
	mux.Handle("POST /admin/faults", s.authorized(s.postFault))
	mux.Handle("DELETE /admin/faults", s.authorized(s.deleteFaults))
	mux.Handle("PUT /admin/webhook", s.authorized(s.putWebhook))
	mux.HandleFunc("GET "+pathActions+"{id}", s.showActionPage)
	mux.HandleFunc("POST "+pathActions+"{id}", s.submitAction)
	mux.HandleFunc("GET "+pathCheckout+"{id}", s.showCheckout)
	mux.HandleFunc("POST "+pathCheckout+"{id}", s.submitCheckout)
	mux.HandleFunc("GET "+pathOnboarding+"{token}", s.showOnboarding)
	mux.HandleFunc("POST "+pathOnboarding+"{token}", s.submitOnboarding)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		errorResponse(http.StatusNotFound, codeNotFound, "There is no such endpoint.").send(w)
	})
	return mux
}

// route handles an endpoint of the API and applies the faults that match the request.
func (s *Server) route(on Target, endpoint func(*http.Request, FaultKind) response) http.HandlerFunc {
	return s.authorized(func(r *http.Request) response {
		if err := s.checkAccount(r); err != nil {
			return s.failure(err)
		}
		fault := s.faults.forRequest(on)
		if resp, ok := faultResponses[fault.Kind]; ok {
			return resp
		}
		resp := endpoint(r, fault.Kind)
		switch fault.Kind {
		case DropAfter:
			return response{disconnect: true}
		case ErrorDuring, ErrorAfter:
			if on == Lookups || on == Cancellations {
				return injectedError
			}
		case Delay:
			s.sleep(fault.Delay)
		default: // no fault, or one of another kind
		}
		return resp
	})
}

// authorized handles an endpoint that needs the key.
func (s *Server) authorized(endpoint func(*http.Request) response) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || subtle.ConstantTimeCompare([]byte(key), []byte(s.cfg.Key)) != 1 {
			errorResponse(http.StatusUnauthorized, codeUnauthorized,
				"The Authorization header has no valid key.").send(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		endpoint(r).send(w)
	}
}

// injectedError is the response of the faults that return 500.
var injectedError = errorResponse(http.StatusInternalServerError, codeInternal,
	"Something went wrong, as was asked for.")

// faultResponses are the responses of the faults that execute nothing.
var faultResponses = map[FaultKind]response{
	DropBefore:  {disconnect: true},
	ErrorBefore: injectedError,
	RateLimit:   errorResponse(http.StatusTooManyRequests, codeRateLimited, "Too many requests, as was asked for."),
	Unavailable: errorResponse(http.StatusServiceUnavailable, codeUnavailable,
		"The sandbox is unavailable, as was asked for."),
}

// decode reads the body into v. It returns an *apiError.
func decode(r *http.Request, v any) error {
	err := json.UnmarshalRead(r.Body, v, json.RejectUnknownMembers(true))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &apiError{errorDetail{codeBodyTooLarge, "The body is too large."}, http.StatusRequestEntityTooLarge}
	}
	if err != nil {
		return invalid("The body is not what this endpoint takes: " + err.Error())
	}
	return nil
}

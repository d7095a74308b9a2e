package sandbox

import (
	"errors"
	"net/http"

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

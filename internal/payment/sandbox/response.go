package sandbox

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"
)

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

// invalid returns the error of a request that isn't valid.
func invalid(message string) error {
	return &apiError{errorDetail{codeInvalid, message}, http.StatusBadRequest}
}

// failure returns the response for an error: the document of an *apiError; for any other, which is one of the journal
// and is logged, a 500.
func (s *Server) failure(err error) response {
	if e, ok := errors.AsType[*apiError](err); ok {
		return errorResponse(e.status, e.Code, e.Message)
	}
	s.log.Error("the sandbox's journal", "error", err)
	return errorResponse(http.StatusInternalServerError, codeInternal, "The journal can't be used.")
}

// lookupResponse returns the response to a look-up.
func (s *Server) lookupResponse(v any, err error) response {
	if err != nil {
		return s.failure(err)
	}
	return jsonResponse(http.StatusOK, v)
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

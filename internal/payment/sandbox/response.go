package sandbox

import (
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

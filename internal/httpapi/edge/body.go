package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"holdfast/internal/problem"
)

const (
	maxBody    = 64 << 10
	maxNesting = 32
)

// ReadRequest reads the whole request before a route sees it. It refuses text that PostgreSQL couldn't store, and
// bodies that aren't one JSON object or that two parsers could read differently. The body's bytes stay available by
// RawBody.
//
// Errors: problem.NotFound for a path that can't exist; problem.MalformedRequest, problem.UnsupportedMediaType,
// problem.BodyTooLarge, problem.RequestTimeout.
func ReadRequest(c *gin.Context) error {
	if err := CheckURL(c.Request.URL); err != nil {
		return err
	}
	if err := ReceiveBody(c); err != nil {
		return err
	}
	return checkBody(c.Request, RawBody(c.Request.Context()))
}

// CheckRequest is ReadRequest as a middleware.
func CheckRequest(c *gin.Context) {
	if err := ReadRequest(c); err != nil {
		WriteProblem(c, err)
	}
}

// ReceiveBody reads the body of a request that may have one, once, and looks at nothing of it but its length. Until it
// is read, net/http doesn't notice that the client has gone. Of one address, and in all, a bounded number of bodies is
// on its way at a time.
//
// Errors: problem.BodyTooLarge, problem.RequestTimeout, problem.MalformedRequest; problem.RateLimited and
// problem.Overloaded for a body that hasn't arrived as a whole when there are too many such bodies.
func ReceiveBody(c *gin.Context) error { return receiveBody(c, of(c.Request.Context()).arrivals) }

// ReceiveOwnBody is ReceiveBody for a request with a tenant's own API key: its application may send many from one
// address, and who bounds them is its tenant's share of the queue.
func ReceiveOwnBody(c *gin.Context) error { return receiveBody(c, nil) }

// Receive is ReceiveBody for a request that this edge hands to another one: it returns the request with its body, which
// can be read again.
func (e *Edge) Receive(w http.ResponseWriter, r *http.Request) (*http.Request, []byte, error) {
	c := gin.CreateTestContextOnly(w, e.engine) // which is how a context without a route is made
	c.Request = r.WithContext(context.WithValue(r.Context(), requestKey{}, &request{arrivals: &e.arrives}))
	err := ReceiveBody(c)
	return c.Request, RawBody(c.Request.Context()), err
}

func receiveBody(c *gin.Context, counted *arrivals) error {
	s := of(c.Request.Context())
	if s.received {
		return nil
	}
	switch c.Request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if c.Request.ContentLength > maxBody {
			return tooLarge()
		}
		if isArriving(c.Request) {
			if counted != nil {
				leave, err := counted.enter(AddressOf(c))
				if err != nil {
					return err
				}
				defer leave()
			}
			awaitBody(c.Request)
		}
		raw, err := readBody(c.Request)
		if err != nil {
			return err
		}
		bodyRead(c.Request.Context())
		c.Request.Body = io.NopCloser(bytes.NewReader(raw))
		c.Request.ContentLength = int64(len(raw))
		s.body = raw
	}
	s.received = true
	return nil
}

// CheckURL refuses text that no text column can hold and query strings that can't be read in one way. In a path such
// text is an id that doesn't exist. ReadRequest, ReadForm and ReadUpload do it, too; call it before a part of the URL
// is used earlier than that. Errors: problem.NotFound, problem.MalformedRequest.
func CheckURL(u *url.URL) error {
	if !storable(u.Path) {
		return problem.New(problem.NotFound, "")
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return problem.New(problem.MalformedRequest, "The query string is not correctly encoded.")
	}
	if query, _ := url.QueryUnescape(u.RawQuery); !storable(query) {
		return problem.New(problem.MalformedRequest,
			"The query string holds bytes that are not valid UTF-8, or U+0000.")
	}
	return nil
}

func storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

func readBody(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	var slow net.Error
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		return nil, problem.Wrap(err, problem.RequestTimeout, "The request body took too long to arrive.")
	case err != nil:
		return nil, problem.Wrap(err, problem.MalformedRequest,
			"The request body ended early or is not correctly framed.")
	case len(raw) > maxBody:
		return nil, tooLarge()
	case len(raw) == 0:
		return nil, nil
	}
	return raw, nil
}

// checkBody refuses a body that isn't plain JSON and doesn't say so.
func checkBody(r *http.Request, raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	if err := checkMediaType(r.Header); err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json") // the one spelling that huma looks up
	return CheckJSON(raw)
}

func tooLarge() error {
	return problem.New(problem.BodyTooLarge, "The request body is larger than "+strconv.Itoa(maxBody)+" bytes.")
}

func checkMediaType(h http.Header) error {
	types := h.Values("Content-Type")
	var media string
	var params map[string]string
	if len(types) == 1 {
		media, params, _ = mime.ParseMediaType(types[0])
	}
	charset, hasCharset := params["charset"]
	switch {
	case media != "application/json", hasCharset && !strings.EqualFold(charset, "utf-8"):
		return problem.New(problem.UnsupportedMediaType,
			"The request body must be application/json in UTF-8, and Content-Type must say so.")
	case !strings.EqualFold(strings.Join(h.Values("Content-Encoding"), ","), "identity") &&
		h.Get("Content-Encoding") != "":
		return problem.New(problem.UnsupportedMediaType, "The request body must not have a Content-Encoding.")
	}
	return nil
}

// CheckJSON returns problem.MalformedRequest unless raw is exactly one JSON object that every parser reads alike.
func CheckJSON(raw []byte) error {
	if !utf8.Valid(raw) {
		return malformed(int64(firstInvalid(raw)), "is not valid UTF-8")
	}
	// Only an escape can make U+0000, raw control characters being invalid; looking for it is rarely needed.
	mayHoldNUL := bytes.Contains(raw, []byte(`\u0000`))
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	for count := 0; ; count++ {
		ended := count > 0 && dec.StackDepth() == 0
		tok, err := dec.ReadToken()
		var syntax *jsontext.SyntacticError
		at := dec.InputOffset()
		switch {
		case errors.Is(err, io.EOF) && ended:
			return nil
		case errors.Is(err, jsontext.ErrDuplicateName):
			errors.As(err, &syntax)
			return malformed(syntax.ByteOffset, "has the same name twice in one object")
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return malformed(int64(len(raw)), "ends before its JSON does")
		case ended:
			return malformed(at, "goes on after the end of its JSON object")
		case errors.As(err, &syntax):
			return malformed(syntax.ByteOffset, "is not valid JSON")
		case err != nil:
			return malformed(at, "is not valid JSON")
		case count == 0 && tok.Kind() != '{':
			return malformed(0, "is not a JSON object")
		case dec.StackDepth() > maxNesting:
			return malformed(at, fmt.Sprintf("is nested deeper than %d levels", maxNesting))
		case mayHoldNUL && tok.Kind() == '"' && strings.ContainsRune(tok.String(), 0):
			return malformed(at, "has U+0000 in a string")
		}
		if tok.Kind() == '0' {
			if _, err := strconv.ParseFloat(tok.String(), 64); err != nil {
				return malformed(at, "has a number that is out of range")
			}
		}
	}
}

func malformed(offset int64, what string) error {
	return problem.New(problem.MalformedRequest, fmt.Sprintf("The request body %s (at byte %d).", what, offset))
}

func firstInvalid(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

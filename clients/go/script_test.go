package holdfast

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bookingID is the id of bookings in answers.
const bookingID = "0197f0c6-5000-7c31-8a5e-0d0c5f6b7a01"

// script answers requests one after the other, and notes what it was sent.
type script struct {
	answers []answer
	sent    []sent
	pauses  []time.Duration
}

// answer is what a request gets. Status 0 is a broken connection.
type answer struct {
	status int
	body   string
	header map[string]string
}

type sent struct {
	method string
	target string
	header http.Header
	body   string
}

func (s *script) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.sent = append(s.sent, sent{method: r.Method, target: r.URL.RequestURI(), header: r.Header, body: string(body)})
	if len(s.answers) == 0 {
		panic("too many requests")
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	if a.status == 0 {
		return nil, errors.New("connection reset")
	}
	response := &http.Response{StatusCode: a.status, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(a.body))}
	for name, value := range a.header {
		response.Header.Set(name, value)
	}
	return response, nil
}

// retry pauses half as long as it may, without waiting.
func (s *script) retry() Retry {
	return Retry{
		draw:  func() float64 { return 0.5 },
		sleep: func(_ context.Context, pause time.Duration) error { s.pauses = append(s.pauses, pause); return nil },
	}
}

// client returns a client of the script.
func (s *script) client(t *testing.T, options ...ClientOption) *Client {
	t.Helper()
	client, err := New("http://holdfast.test", "hf_x",
		append([]ClientOption{WithHTTPClient(s), WithRetry(s.retry())}, options...)...)
	require.NoError(t, err)
	return client
}

// of returns a script of the answers, and a client of it.
func of(t *testing.T, answers ...answer) (*script, *Client) {
	t.Helper()
	s := &script{answers: answers}
	client := s.client(t)
	return s, client
}

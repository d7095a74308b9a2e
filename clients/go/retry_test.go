package holdfast

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// script answers requests one after the other, and notes what it was sent.
type script struct {
	answers []answer
	keys    []string
	bodies  []string
	targets []string
	pauses  []time.Duration
}

type answer struct {
	status int // 0 is a broken connection
	body   string
	after  string
}

func (s *script) Do(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
	}
	s.keys, s.bodies, s.targets = append(s.keys, r.Header.Get("Idempotency-Key")), append(s.bodies, body), append(s.targets,
		r.URL.RequestURI())
	if len(s.answers) == 0 {
		panic("too many requests")
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	if a.status == 0 {
		return nil, errors.New("connection reset")
	}
	response := &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body))}
	if a.after != "" {
		response.Header.Set("Retry-After", a.after)
	}
	return response, nil
}

func (s *script) retry() Retry {
	return Retry{
		draw:  func() float64 { return 0.5 },
		sleep: func(_ context.Context, pause time.Duration) error { s.pauses = append(s.pauses, pause); return nil },
	}
}

func client(t *testing.T, s *script, r Retry) *Client {
	t.Helper()
	c, err := New("http://holdfast.test", "hf_x", r, WithHTTPClient(s))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const inProgress = `{"code":"request_in_progress","status":409,"title":"","type":"","detail":""}`

func TestRetry_BrokenConnection503AndRequestInProgress_AreSentAgainWithKeyAndBody(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{}, {status: 503}, {409, inProgress, "1"}, {201, `{"id":"0197f0c6-5000-7c31-8a5e-0d0c5f6b7a01"}`, ""}}}
	booking, err := Decode[Booking](client(t, s, s.retry()).CreateBooking(t.Context(), &CreateBookingParams{}, NewBooking{}))
	if err != nil || booking.ID.String() != "0197f0c6-5000-7c31-8a5e-0d0c5f6b7a01" {
		t.Fatal(booking, err)
	}
	if len(s.keys) != 4 || s.keys[0] == "" || len(slices.Compact(s.keys)) != 1 || len(slices.Compact(s.bodies)) != 1 {
		t.Fatal(s.keys, s.bodies)
	}
	if want := []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 1400 * time.Millisecond}; !slices.Equal(s.pauses, want) {
		t.Fatal(s.pauses)
	}
}

func TestRetry_OtherAnswers_AreFinal(t *testing.T) {
	t.Parallel()
	for _, a := range []answer{
		{409, `{"code":"slot_unavailable"}`, ""}, {429, `{"code":"rate_limited"}`, "1"}, {500, `{"code":"internal_error"}`, ""}, {409,
			"no JSON", ""},
	} {
		s := &script{answers: []answer{a}}
		_, err := Decode[Booking](client(t, s, s.retry()).CreateBooking(t.Context(), &CreateBookingParams{IdempotencyKey: "mine"},
			NewBooking{}))
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != a.status || s.keys[0] != "mine" {
			t.Fatal(err, s.keys)
		}
		if a.status == http.StatusTooManyRequests && (refused.Code != "rate_limited" || refused.RetryAfter != time.Second) {
			t.Fatal(refused)
		}
	}
}

func TestRetry_LastAttempt_IsReturned(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{status: 503}, {status: 503}}}
	r := s.retry()
	r.Attempts = 2
	var failed *Error
	if _, err := Decode[Booking](client(t, s, r).GetBooking(t.Context(), [16]byte{}, nil)); !errors.As(err,
		&failed) || failed.Status != 503 {
		t.Fatal(err)
	}
}

func TestRetry_LongRetryAfterOrPostWithoutKey_IsReturnedAtOnce(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{503, "", "60"}, {503, "", ""}}}
	if _, err := client(t, s, s.retry()).GetBooking(t.Context(), [16]byte{}, nil); err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://holdfast.test", http.NoBody)
	if _, err := newRetrying(s, s.retry()).Do(request); err != nil || len(s.pauses) != 0 {
		t.Fatal(err, s.pauses)
	}
}

func TestRetry_EndedContext_SendsNothingMore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answers: []answer{{}}}
	r := s.retry()
	r.sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return sleep(ctx, time.Hour) }
	if _, err := client(t, s, r).GetBooking(ctx, [16]byte{}, nil); !errors.Is(err, context.Canceled) || len(s.keys) != 1 {
		t.Fatal(err, s.keys)
	}
}

func TestAll_SeveralPages_AreReadToTheEnd(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{200, `{"data":[{"code":"A"},{"code":"B"}],"next_cursor":"c"}`, ""}, {200,
		`{"data":[],"next_cursor":"d"}`, ""},
		{200, `{"data":[{"code":"C"}]}`, ""}}}
	c := client(t, s, s.retry())
	var codes []string
	for booking, err := range All[struct{ Code string }](func(cursor *string) (*http.Response, error) {
		return c.ListBookings(t.Context(), &ListBookingsParams{Cursor: cursor})
	}) {
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, booking.Code)
	}
	if !slices.Equal(codes, []string{"A", "B", "C"}) || s.targets[1] != "/v1/bookings?cursor=c" {
		t.Fatal(codes, s.targets)
	}
}

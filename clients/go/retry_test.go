package holdfast

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const inProgress = `{"code":"request_in_progress","status":409,"title":"","type":"","detail":""}`

func TestRetry_BrokenConnection503AndRequestInProgress_AreSentAgainWithKeyAndBody(t *testing.T) {
	t.Parallel()
	s, client := of(t,
		answer{},
		answer{status: 503},
		answer{status: 409, body: inProgress, header: map[string]string{"Retry-After": "1"}},
		answer{status: 201, body: `{"id":"` + bookingID + `"}`},
	)
	booking, err := client.CreateBooking(t.Context(), NewBooking{})
	require.NoError(t, err)
	require.Equal(t, bookingID, booking.ID.String())
	require.Len(t, s.sent, 4)
	require.NotEmpty(t, s.sent[0].header.Get("Idempotency-Key"))
	require.NotEmpty(t, s.sent[0].body)
	for _, again := range s.sent[1:] {
		require.Equal(t, s.sent[0], again)
	}
	require.Equal(t, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 1400 * time.Millisecond}, s.pauses)
}

func TestRetry_OtherAnswers_AreFinal(t *testing.T) {
	t.Parallel()
	for _, a := range []answer{
		{status: 409, body: `{"code":"slot_unavailable"}`},
		{status: 429, body: `{"code":"rate_limited"}`, header: map[string]string{"Retry-After": "1"}},
		{status: 500, body: `{"code":"internal_error"}`},
		{status: 409, body: "no JSON"},
	} {
		s, client := of(t, a)
		_, err := client.CreateBooking(t.Context(), NewBooking{}, IdempotencyKey("mine"))
		refused := new(Error)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, a.status, refused.Status)
		require.Equal(t, "mine", s.sent[0].header.Get("Idempotency-Key"))
		if a.status == http.StatusTooManyRequests {
			require.Equal(t, ErrorCodeRateLimited, refused.Code)
			require.Equal(t, time.Second, refused.RetryAfter)
		}
	}
}

func TestRetry_ChangeWithIfMatchWhoseAnswerWasLost_Gets412OfItsOwnChange(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{}, answer{status: 412, body: `{"code":"version_mismatch","current":{"version":4}}`})
	_, err := client.UpdateBooking(t.Context(), uuid.New(), UpdateBooking{}, IfMatch(`"3"`))
	refused := new(Error)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, ErrorCodeVersionMismatch, refused.Code)
	require.NotNil(t, refused.Problem.Current, "it tells whether the change was made")
	require.Equal(t, s.sent[0], s.sent[1])
}

func TestRetry_LastAttempt_IsReturned(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{status: 503}, {status: 503}}}
	r := s.retry()
	r.Attempts = 2
	_, err := s.client(t, WithRetry(r)).GetBooking(t.Context(), uuid.New())
	failed := new(Error)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, http.StatusServiceUnavailable, failed.Status)
}

func TestRetry_LongRetryAfterOrPostWithoutKey_IsReturnedAtOnce(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 503, header: map[string]string{"Retry-After": "60"}}, answer{status: 503})
	_, err := client.GetBooking(t.Context(), uuid.New())
	failed := new(Error)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, time.Minute, failed.RetryAfter)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://holdfast.test", http.NoBody)
	require.NoError(t, err)
	_, err = newRetrying(s, s.retry()).Do(request)
	require.NoError(t, err)
	require.Empty(t, s.pauses)
}

func TestRetry_EndedContext_SendsNothingMore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answers: []answer{{}}}
	r := s.retry()
	r.sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return sleep(ctx, time.Hour) }
	_, err := s.client(t, WithRetry(r)).GetBooking(ctx, uuid.New())
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.sent, 1)
}

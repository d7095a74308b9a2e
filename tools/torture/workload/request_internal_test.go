package workload

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/history"
)

func TestOutcomeOf_FollowsTheContract(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		status  int
		code    string
		outcome history.Outcome
	}{
		{200, "", history.Done},
		{201, "", history.Done},
		{202, "", history.Done},
		{402, "payment_declined", history.Refused},
		{408, "request_timeout", history.Unknown},
		{409, "slot_unavailable", history.Refused},
		{409, "request_in_progress", history.Refused},
		{500, "internal_error", history.Unknown},
		{502, "", history.Unknown},
		{503, "", history.Unknown},
		{503, "database_unavailable", history.Refused},
		{503, "lock_timeout", history.Refused},
		{503, "shutting_down", history.Refused},
		{503, "outcome_unknown", history.Unknown},
		{503, "provider_unavailable", history.Unknown},
	} {
		require.Equal(t, step.outcome, outcomeOf(step.status, step.code), "%d %s", step.status, step.code)
	}
}

func TestSend_AnswerIsCutOff_IsUnknown(t *testing.T) {
	t.Parallel()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":`))
	}))
	defer server.Close()
	a, err := send(t.Context(), &http.Client{Transport: transport()}, server.URL, "key", "k",
		Request{Method: http.MethodPost, Path: "/"})
	require.Error(t, err)
	require.Equal(t, history.Unknown, a.Outcome)
	require.Equal(t, 1, requests, "nothing but the client repeats a request")
}

package admission

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestPreferWait_IsReadAsRFC7240Says(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]time.Duration{
		"wait=5":                                5 * time.Second,
		"Wait = 5":                              5 * time.Second,
		`wait="5"`:                              5 * time.Second,
		"respond-async, wait=10":                10 * time.Second,
		"respond-async; foo=\"a, b\" , wait=10": 10 * time.Second,
		"wait=10; foo=bar":                      10 * time.Second,
		"wait=7, wait=9":                        7 * time.Second, // the first one counts
		`foo="a, wait=1, b", wait=3`:            3 * time.Second,
		`foo="\", wait=1", wait=3`:              3 * time.Second,
		"wait=3600":                             time.Hour,
		// What can't be read, or kept, is ignored.
		"": 0, "wait": 0, "wait=": 0, "wait=0": 0, "wait=-1": 0, "wait=+1": 0, "wait=1.5": 0, "wait=5s": 0,
		"wait=3601":                 0,
		"wait=99999999999999999999": 0, `wait="5`: 0, `wait=""`: 0, "waits=5": 0, "return=minimal": 0, `foo="wait=1`: 0,
		"wait=x, wait=9": 0,
	} {
		got, ok := PreferredTime(http.Header{"Prefer": {sent}}, "wait")
		require.Equal(t, want > 0, ok, "%q", sent)
		if ok {
			require.Equal(t, want, got, "%q", sent)
		}
	}
	got, ok := PreferredTime(http.Header{"Prefer": {"return=minimal", "wait=4"}}, "wait")
	require.True(t, ok)
	require.Equal(t, 4*time.Second, got)
}

func TestWaitDeadline_Over_DiffersFromADisconnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, gone := context.WithCancel(t.Context())
		deadline := testtime.Now().Add(time.Second)
		impatient, stop := withWaitDeadline(parent, deadline)
		defer stop()
		patient, stop := withWaitDeadline(parent, deadline.Add(time.Hour))
		defer stop()
		child, cancel := context.WithTimeout(impatient, time.Hour)
		defer cancel()
		got, ok := child.Deadline()
		require.True(t, ok)
		require.Equal(t, deadline, got)
		require.NoError(t, impatient.Err())

		testtime.Advance(time.Second)
		require.ErrorIs(t, child.Err(), context.Canceled)
		require.ErrorIs(t, impatient.Err(), context.Canceled)
		require.True(t, problem.Is(impatient.Err(), problem.Overloaded))
		require.NoError(t, context.WithoutCancel(impatient).Err(), "what must be finished is")

		gone()
		require.Equal(t, context.Canceled, patient.Err(), "its client has gone")
	})
}

func FuzzPreferredWait(f *testing.F) {
	for _, seed := range []string{"wait=5", `foo="a\"", wait = "10"; x`, "wait=99999999999999", `"`, `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		wait, ok := PreferredTime(http.Header{"Prefer": {sent}}, "wait")
		if ok && (wait <= 0 || wait > maxPreferred || wait%time.Second != 0) {
			t.Fatalf("%q: %v", sent, wait)
		}
	})
}

package admission

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

func TestRateLimit_TellsWhatIsLeftAndWhenThereIsMore(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		rate   float64
		burst  int
		policy string
		takes  []string // RateLimit after each; the last one is refused
		retry  time.Duration
		then   string // a second later
	}{
		{2, 3, `"default";q=3;w=2`,
			[]string{`"default";r=2;t=1`, `"default";r=1;t=1`, `"default";r=0;t=1`, `"default";r=0;t=1`},
			time.Second, `"default";r=1;t=1`},
		{2, 0, `"default";q=2;w=1`, []string{`"default";r=1;t=1`, `"default";r=0;t=1`, `"default";r=0;t=1`},
			time.Second,
			`"default";r=1;t=1`},
		{0.125, 2, `"default";q=2;w=16`, []string{`"default";r=1;t=8`, `"default";r=0;t=8`, `"default";r=0;t=8`},
			8 * time.Second,
			`"default";r=0;t=7`},
	} {
		l := newRateLimiter[tenant.KeyID](Limits{Rate: c.rate, Burst: c.burst}.keys())
		at := now
		l.now = func() time.Time { return at }
		for i, want := range c.takes {
			h := http.Header{}
			err := l.take(tenant.KeyID{1}, h)
			require.Equal(t, c.policy, h.Get("RateLimit-Policy"))
			require.Equal(t, want, h.Get("RateLimit"), "rate %v, request %d", c.rate, i+1)
			require.Equal(t, i == len(c.takes)-1, err != nil)
			if err != nil {
				var known *problem.Error
				require.ErrorAs(t, err, &known)
				require.Equal(t, problem.RateLimited, known.Code)
				require.Equal(t, c.retry, known.RetryAfter)
			}
		}
		require.NoError(t, l.take(tenant.KeyID{2}, http.Header{}), "another key has a bucket of its own")
		at = at.Add(time.Second)
		h := http.Header{}
		_ = l.take(tenant.KeyID{1}, h)
		require.Equal(t, c.then, h.Get("RateLimit"), "rate %v, a second later", c.rate)
	}
}

func TestRateLimit_WithoutARateLimitsNothingAndSaysNothing(t *testing.T) {
	t.Parallel()
	l := newRateLimiter[tenant.KeyID](Limits{Burst: 1}.keys())
	h := http.Header{}
	for range 1000 {
		require.NoError(t, l.take(tenant.KeyID{}, h))
	}
	require.Empty(t, h)
}

func TestRateLimit_ForgetsABucketWhenItIsFullAgain(t *testing.T) {
	t.Parallel()
	l := newRateLimiter[tenant.KeyID](Limits{Rate: 0.5, Burst: 30}.keys())
	require.NoError(t, l.take(tenant.KeyID{}, http.Header{}))
	entry, ok := l.buckets.GetEntryQuietly(tenant.KeyID{})
	require.True(t, ok)
	require.InDelta(t, 61*time.Second, entry.ExpiresAfter(), float64(5*time.Second))
	require.EqualValues(t, 100_000, l.buckets.GetMaximum())
}

func BenchmarkRateLimit(b *testing.B) {
	l := newRateLimiter[tenant.KeyID](Limits{Rate: 1e9, Burst: 1e9}.keys())
	h := http.Header{}
	b.ReportAllocs()
	for b.Loop() {
		if l.take(tenant.KeyID{}, h) != nil {
			b.Fatal("refused")
		}
	}
}

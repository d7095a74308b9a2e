package admission

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"holdfast/internal/expiring"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// rateLimiter gives each API key a token bucket, and tells what is left in it in the RateLimit fields of
// draft-ietf-httpapi-ratelimit-headers-10. Nil limits nothing.
type rateLimiter struct {
	limit   rate.Limit // tokens a second
	burst   int
	policy  string
	buckets *otter.Cache[tenant.KeyID, *rate.Limiter]
	now     func() time.Time
}

// newRateLimiter returns nil where no rate is set. A bucket that nobody took from for so long that it is full again is
// forgotten; so are those that weren't used for longest when there are more than a hundred thousand.
func newRateLimiter(l Limits) *rateLimiter {
	if l.Rate <= 0 {
		return nil
	}
	burst := l.Burst
	if burst <= 0 {
		burst = max(int(math.Ceil(l.Rate)), 1)
	}
	window := math.Ceil(float64(burst) / l.Rate)
	full := time.Duration(min(window, 1e9)+1) * time.Second
	return &rateLimiter{
		limit: rate.Limit(l.Rate), burst: burst, now: time.Now,
		policy:  `"default";q=` + strconv.Itoa(burst) + ";w=" + strconv.FormatFloat(window, 'f', 0, 64),
		buckets: expiring.New(100_000, otter.ExpiryAccessing[tenant.KeyID, *rate.Limiter](full)),
	}
}

// take takes a token for a request with the key, and says in the response's headers how many are left (r) and in how many
// seconds there is one more (t). Errors: problem.RateLimited, with those seconds, when there is none.
func (l *rateLimiter) take(key tenant.KeyID, response http.Header) error {
	if l == nil {
		return nil
	}
	bucket, ok := l.buckets.GetIfPresent(key)
	if !ok {
		bucket, _ = l.buckets.SetIfAbsent(key, rate.NewLimiter(l.limit, l.burst))
	}
	now := l.now()
	allowed := bucket.AllowN(now, 1)
	left := max(bucket.TokensAt(now), 0)
	whole := math.Floor(left)
	next := math.Ceil((whole + 1 - left) / float64(l.limit))
	response.Set("RateLimit-Policy", l.policy)
	response.Set("RateLimit", `"default";r=`+strconv.FormatFloat(whole, 'f', 0, 64)+";t="+strconv.FormatFloat(next, 'f', 0, 64))
	if allowed {
		return nil
	}
	return problem.New(problem.RateLimited, "This API key sends more requests than it may. Nothing was written.").
		Retry(time.Duration(next) * time.Second)
}

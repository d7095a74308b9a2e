package admission

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"holdfast/internal/expiring"
	"holdfast/internal/problem"
)

// bucketPolicy says how many tokens a bucket has. A rate of zero or less limits nothing.
type bucketPolicy struct {
	name   string
	rate   float64 // tokens a second
	burst  int     // tokens of a full bucket; zero or less: as many as in one second
	detail string  // what a refusal says
}

// rateLimiter gives each key a token bucket, and tells what is left in it in the RateLimit fields of
// draft-ietf-httpapi-ratelimit-headers-10. Nil limits nothing.
type rateLimiter[K comparable] struct {
	name    string
	limit   rate.Limit // tokens a second
	burst   int
	policy  string
	detail  string
	buckets *otter.Cache[K, *rate.Limiter]
	now     func() time.Time
}

// newRateLimiter returns nil where no rate is set. A bucket that nobody took from for so long that it is full again is
// forgotten; so are those that weren't used for longest when there are more than a hundred thousand.
func newRateLimiter[K comparable](p bucketPolicy) *rateLimiter[K] {
	if p.rate <= 0 {
		return nil
	}
	if p.burst <= 0 {
		p.burst = max(int(math.Ceil(p.rate)), 1)
	}
	window := math.Ceil(float64(p.burst) / p.rate)
	full := time.Duration(min(window, 1e9)+1) * time.Second
	return &rateLimiter[K]{
		name:   strconv.Quote(p.name),
		limit:  rate.Limit(p.rate),
		burst:  p.burst,
		detail: p.detail,
		now:    time.Now,
		policy: strconv.Quote(p.name) + ";q=" + strconv.Itoa(p.burst) + ";w=" + strconv.FormatFloat(window, 'f', 0,
			64),
		buckets: expiring.New(100_000, otter.ExpiryAccessing[K, *rate.Limiter](full)),
	}
}

// take takes a token for a request with the key, and says in the response's headers how many are left (r) and in how
// many seconds there is one more (t). Errors: problem.RateLimited, with those seconds, when there is none.
func (l *rateLimiter[K]) take(key K, response http.Header) error {
	if l == nil {
		return nil
	}
	bucket, now := l.bucketOf(key), l.now()
	allowed := bucket.AllowN(now, 1)
	return l.tell(bucket, now, allowed, response)
}

// reserve is take for n tokens that may be given back: call giveBack if the request did nothing. For more tokens than a
// bucket has, it takes all of a full one.
func (l *rateLimiter[K]) reserve(key K, n int, response http.Header) (giveBack func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	bucket, now := l.bucketOf(key), l.now()
	token := bucket.ReserveN(now, min(n, l.burst))
	// Tokens can be given back only as of the moment at which they were taken.
	giveBack = func() { token.CancelAt(now) }
	wait := token.DelayFrom(now)
	if wait > 0 {
		giveBack()
	}
	err = l.tell(bucket, now, wait == 0, response)
	if refusal, refused := errors.AsType[*problem.Error](err); refused && n > 1 {
		err = refusal.Retry(wait.Truncate(time.Second) + time.Second)
	}
	return giveBack, err
}

// check returns problem.RateLimited if there is no token for the key, and takes none.
func (l *rateLimiter[K]) check(key K) error {
	if l == nil {
		return nil
	}
	left := l.bucketOf(key).TokensAt(l.now())
	if left >= 1 {
		return nil
	}
	return problem.New(problem.RateLimited,
		l.detail).Retry(time.Duration(math.Ceil((1-left)/float64(l.limit))) * time.Second)
}

// owe takes a token of the key, also one that comes only later.
func (l *rateLimiter[K]) owe(key K) {
	if l != nil {
		l.bucketOf(key).ReserveN(l.now(), 1)
	}
}

// giveBack gives the key n tokens. What is more than the bucket holds is lost with the next token that is taken.
func (l *rateLimiter[K]) giveBack(key K, n int) {
	if l != nil {
		l.bucketOf(key).ReserveN(l.now(), -n)
	}
}

func (l *rateLimiter[K]) bucketOf(key K) *rate.Limiter {
	bucket, ok := l.buckets.GetIfPresent(key)
	if !ok {
		bucket, _ = l.buckets.SetIfAbsent(key, rate.NewLimiter(l.limit, l.burst))
	}
	return bucket
}

// tell says in the response's headers what is left in a bucket, and returns problem.RateLimited for a request that got
// no token.
func (l *rateLimiter[K]) tell(bucket *rate.Limiter, now time.Time, allowed bool, response http.Header) error {
	left := max(bucket.TokensAt(now), 0)
	whole := math.Floor(left)
	next := math.Ceil((whole + 1 - left) / float64(l.limit))
	response.Add("RateLimit-Policy", l.policy)
	response.Add("RateLimit",
		l.name+";r="+strconv.FormatFloat(whole, 'f', 0, 64)+";t="+strconv.FormatFloat(next, 'f', 0, 64))
	if allowed {
		return nil
	}
	return problem.New(problem.RateLimited, l.detail).Retry(time.Duration(next) * time.Second)
}

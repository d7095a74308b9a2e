package admission

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// requestFrom returns a request whose connection comes from an address.
func requestFrom(address string) *gin.Context {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	c.Request.RemoteAddr = address
	return c
}

// stopped has the buckets of visitors take their time from a function.
func (a *Admission) stopped(now func() time.Time) {
	a.visitors.now, a.addresses.now, a.holds.now, a.stock.now, a.pays.now = now, now, now, now, now
}

func TestTakeVisitorToken_OneAddressOfATenantHasOneBucket(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	tenant, other := uuid.New(), uuid.New()
	for name, c := range map[string]struct {
		first, second string
		together      bool
	}{
		"one address, two connections":     {"192.0.2.1:1000", "192.0.2.1:2000", true},
		"two addresses":                    {"192.0.2.1:1000", "192.0.2.2:1000", false},
		"an IPv4 address in IPv6 form":     {"192.0.2.1:1000", "[::ffff:192.0.2.1]:1000", true},
		"two IPv4 addresses in IPv6 form":  {"[::ffff:192.0.2.1]:1000", "[::ffff:192.0.2.2]:1000", false},
		"two addresses of one /64 network": {"[2001:db8:0:1::1]:1000", "[2001:db8:0:1:ffff::1]:1000", true},
		"two /64 networks of one /48":      {"[2001:db8:0:1::1]:1000", "[2001:db8:0:2::1]:1000", false},
		"addresses that can't be read":     {"a pipe", "@", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := New(Limits{VisitorRate: 0.5, VisitorBurst: 1, VisitorHolds: 1}, nil, nil)
			a.stopped(func() time.Time { return now })
			require.NoError(t, a.TakeVisitorToken(requestFrom(c.first), tenant))
			require.NoError(t, a.TakeVisitorToken(requestFrom(c.first), other), "another tenant's website")
			second := requestFrom(c.second)
			err := a.TakeVisitorToken(second, tenant)
			require.Equal(t, c.together, err != nil)
			if c.together {
				var known *problem.Error
				require.ErrorAs(t, err, &known)
				require.Equal(t, problem.RateLimited, known.Code)
				require.Equal(t, 2*time.Second, known.RetryAfter)
				require.Equal(t, `"visitor";r=0;t=2`, second.Writer.Header().Get("RateLimit"))
				require.Equal(t, `"visitor";q=1;w=2`, second.Writer.Header().Get("RateLimit-Policy"))
			}
		})
	}
}

func TestTakeVisitorHold_CountsHoldsOfTenMinutes(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	a, tenant := New(Limits{VisitorRate: 1, VisitorHolds: 2}, nil, nil), uuid.New()
	a.stopped(func() time.Time { return at })
	take := func() (giveBack func(), err error) { return a.TakeVisitorHold(requestFrom("192.0.2.1:1"), tenant, 1) }

	_, err := take()
	require.NoError(t, err)
	for range 10 {
		giveBack, err := take()
		require.NoError(t, err, "what made no hold doesn't count")
		at = at.Add(time.Millisecond)
		giveBack()
	}
	_, err = take()
	require.NoError(t, err)
	for range 3 {
		_, err = take()
		var known *problem.Error
		require.ErrorAs(t, err, &known, "and what is refused takes nothing")
		require.Equal(t, problem.RateLimited, known.Code)
		require.InDelta(t, 5*time.Minute, known.RetryAfter, float64(2*time.Second))
	}
	at = at.Add(5 * time.Minute)
	_, err = take()
	require.NoError(t, err)
	_, err = take()
	require.Error(t, err)
}

func TestCheckAddress_RefusesAfterMisses_AlsoThoseOfRequestsThatWereUnderWay(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	a := New(Limits{VisitorRate: 1, VisitorBurst: 2, VisitorHolds: 1}, nil, nil)
	a.stopped(func() time.Time { return at })
	from := requestFrom("192.0.2.1:1")
	for range 100 {
		require.NoError(t, a.CheckAddress(from), "what is found costs nothing")
	}
	for range 5 { // two more than there are tokens, and one
		a.CountMiss(from)
	}
	var refused *problem.Error
	require.ErrorAs(t, a.CheckAddress(from), &refused)
	require.Equal(t, problem.RateLimited, refused.Code)
	require.Equal(t, 4*time.Second, refused.RetryAfter)
	require.NoError(t, a.CheckAddress(requestFrom("192.0.2.2:1")), "another address")
	require.NoError(t, a.TakeVisitorToken(from, uuid.New()), "a tenant's website")
	at = at.Add(4 * time.Second)
	require.NoError(t, a.CheckAddress(from))
	require.NoError(t, a.TakeAddressToken(from))
	require.Error(t, a.CheckAddress(from))
}

func TestTakeVisitorHold_CountsUnitsTimesNightsOfAnHour(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	a, tenant := New(Limits{VisitorRate: 1, VisitorHolds: 10}, nil, nil), uuid.New()
	a.stopped(func() time.Time { return at })
	take := func(unitNights int) (giveBack func(), err error) {
		return a.TakeVisitorHold(requestFrom("192.0.2.1:1"), tenant, unitNights)
	}

	giveBack, err := take(6 * 61)
	require.NoError(t, err, "one hold may take more than the limit, if nothing was held before")
	for range 10 {
		_, err = take(1)
		var known *problem.Error
		require.ErrorAs(t, err, &known)
		require.Equal(t, problem.RateLimited, known.Code)
		require.LessOrEqual(t, known.RetryAfter, 20*time.Second)
	}
	giveMoveBack, err := take(0)
	require.NoError(t, err, "a move takes none, and what was refused took no hold")
	giveMoveBack()
	giveBack()
	_, err = take(150)
	require.NoError(t, err, "what made no hold doesn't count")
	_, err = take(100)
	var known *problem.Error
	require.ErrorAs(t, err, &known)
	require.InDelta(t, 15*time.Minute, known.RetryAfter, float64(2*time.Second), "50 more of 200 an hour")
	at = at.Add(15 * time.Minute)
	_, err = take(100)
	require.NoError(t, err)
}

func TestTakeVisitorToken_WithoutLimits_LimitsNothing(t *testing.T) {
	t.Parallel()
	a := New(Limits{}, nil, nil)
	for range 1000 {
		require.NoError(t, a.TakeVisitorToken(requestFrom("192.0.2.1:1"), uuid.Nil))
		giveBack, err := a.TakeVisitorHold(requestFrom("192.0.2.1:1"), uuid.Nil, 1000)
		require.NoError(t, err)
		giveBack()
	}
}

func TestVisitors_TheirBucketsAreBounded(t *testing.T) {
	t.Parallel()
	a := New(Limits{VisitorRate: 1, VisitorHolds: 1}, nil, nil)
	require.EqualValues(t, 100_000, a.visitors.buckets.GetMaximum())
	require.EqualValues(t, 100_000, a.holds.buckets.GetMaximum())
}

// A context of a test trusts every proxy.
func TestTakeVisitorToken_ForwardedIPv4AddressInIPv6Form_IsTheIPv4Address(t *testing.T) {
	t.Parallel()
	a, tenant := New(Limits{VisitorRate: 0.001, VisitorBurst: 1}, nil, nil), uuid.New()
	forwarded := func(address string) *gin.Context {
		c := requestFrom("192.0.2.1:1")
		c.Request.Header.Set("X-Forwarded-For", address)
		return c
	}
	require.NoError(t, a.TakeVisitorToken(forwarded("::ffff:198.51.100.1"), tenant))
	require.Error(t, a.TakeVisitorToken(forwarded("198.51.100.1"), tenant))
	require.NoError(t, a.TakeVisitorToken(forwarded("::ffff:198.51.100.2"), tenant), "not one network of IPv6")
}

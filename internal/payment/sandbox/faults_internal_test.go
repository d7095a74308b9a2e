package sandbox

import (
	"errors"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

func TestFault_OnOrder_FailsAsConfigured(t *testing.T) {
	t.Parallel()
	for kind, want := range map[FaultKind]struct {
		notDone  bool           // the client gets *payment.NotDone
		executed payment.Result // the order's state at the sandbox
		repeated bool           // sending the order again returns a response
	}{
		ErrorBefore: {executed: payment.Absent, repeated: true},
		ErrorDuring: {executed: payment.Absent},
		ErrorAfter:  {executed: payment.Succeeded},
		DropBefore:  {executed: payment.Absent, repeated: true},
		DropAfter:   {executed: payment.Succeeded, repeated: true},
		Unavailable: {executed: payment.Absent, repeated: true},
		RateLimit:   {executed: payment.Absent, repeated: true, notDone: true},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s, client := startServer(t, nil)
			paid := mustCharge(t, client, newOrder(t, "pm_ok", 1_000)) // opens a connection that the next call uses
			charge, refund := newOrder(t, "pm_ok", 100), newRefund(t, paid.ProviderID, 10)

			require.NoError(t, s.Inject(Fault{Kind: kind, On: Charges, Count: 1}))
			require.NoError(t, s.Inject(Fault{Kind: kind, On: Refunds, Count: 1}))
			_, chargeErr := client.Charge(t.Context(), charge)
			_, refundErr := client.Refund(t.Context(), refund)
			for _, err := range []error{chargeErr, refundErr} {
				if want.notDone {
					requireNotDone(t, err, true)
				} else {
					requireUnknown(t, err)
				}
			}
			require.Equal(t, want.executed, lookUpResult(t, client, charge.Reference))
			found, err := client.FindRefund(t.Context(), refund.Reference, "", paid.ProviderID)
			require.NoError(t, err)
			require.Equal(t, want.executed, found.Result)

			_, chargeErr = client.Charge(t.Context(), charge)
			_, refundErr = client.Refund(t.Context(), refund)
			if want.repeated {
				require.NoError(t, chargeErr)
				require.NoError(t, refundErr)
				require.Equal(t, payment.Succeeded, lookUpResult(t, client, charge.Reference))
			} else {
				requireUnknown(t, chargeErr)
				requireUnknown(t, refundErr)
				require.Equal(t, want.executed, lookUpResult(t, client, charge.Reference))
			}
			require.LessOrEqual(t, len(netAmounts(t, client)), 3)
		})
	}
}

func TestFault_OnLookup_ReturnsAnError(t *testing.T) {
	t.Parallel()
	for _, kind := range []FaultKind{ErrorBefore, ErrorDuring, ErrorAfter, DropBefore, DropAfter, Unavailable,
		RateLimit} {
		s, client := startServer(t, nil)
		o := newOrder(t, "pm_ok", 100)
		require.NoError(t, s.Inject(Fault{Kind: kind, On: Lookups}))
		mustCharge(t, client, o)
		_, err := client.FindCharge(t.Context(), o.Reference, "")
		require.Error(t, err, kind)
		s.ClearFaults()
		require.Equal(t, payment.Succeeded, lookUpResult(t, client, o.Reference), kind)
	}
}

func TestFault_Delay_DelaysTheResponse(t *testing.T) {
	t.Parallel()
	const delay = 200 * time.Millisecond
	s, client := startServer(t, nil)
	require.NoError(t, s.Inject(Fault{Kind: Delay, Delay: delay, Count: 1}))
	began := testtime.Now()
	mustCharge(t, client, newOrder(t, "pm_ok", 100))
	require.GreaterOrEqual(t, testtime.Now().Sub(began), delay)
}

func TestFault_Down_RefusesConnectionsUntilItEnds(t *testing.T) {
	t.Parallel()
	s, client := startServer(t, nil)
	paid := newOrder(t, "pm_ok", 100)
	mustCharge(t, client, paid)
	for range 2 {
		client.http.CloseIdleConnections() // a reused connection would break, which leaves the outcome unknown
		require.NoError(t, s.Inject(Fault{Kind: Down, For: time.Hour}))
		o := newOrder(t, "pm_ok", 100)
		_, err := client.Charge(t.Context(), o)
		requireNotDone(t, err, true)
		_, err = client.FindCharge(t.Context(), paid.Reference, "")
		require.Error(t, err)
		requireReserved(t, s)
		require.NoError(t, s.Inject(Fault{Kind: Down, For: time.Millisecond}))
		require.Eventually(t, func() bool {
			_, err := client.Charge(t.Context(), o)
			return err == nil
		}, maxWait, pollInterval)
	}
	require.NoError(t, s.Inject(Fault{Kind: Down, For: time.Hour}))
	s.ClearFaults()
	require.Equal(t, payment.Succeeded, lookUpResult(t, client, paid.Reference))
	require.Len(t, netAmounts(t, client), 3)
}

// The reservation doesn't depend on the listener, so no moment is left in which another process could get the port.
func TestStart_ReservesItsAddressUntilClose(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lets two sockets share an address of which one listens")
	}
	s, _ := startServer(t, nil)
	address := strings.TrimPrefix(s.URL(), "http://")
	require.NoError(t, s.http.Close())
	requireReserved(t, s)
	require.NoError(t, s.Close())
	listener, err := listenExclusively(t, address)
	require.NoError(t, err)
	require.NoError(t, listener.Close())
}

// requireReserved requires that no other process gets the port while nobody listens.
func requireReserved(t *testing.T, s *Server) {
	t.Helper()
	if runtime.GOOS == "linux" {
		_, err := listenExclusively(t, strings.TrimPrefix(s.URL(), "http://"))
		require.ErrorIs(t, err, syscall.EADDRINUSE, "no other process may get the port")
	}
}

// listenExclusively listens on an address that no other socket is bound to. net.Listen sets SO_REUSEADDR, which on
// Linux allows sharing the address with a socket that doesn't listen. For port 0 no such port is picked.
func listenExclusively(t *testing.T, address string) (net.Listener, error) {
	t.Helper()
	alone := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var unset error
		err := c.Control(func(fd uintptr) {
			unset = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET,
				syscall.SO_REUSEADDR, 0)
		})
		return errors.Join(err, unset)
	}}
	return alone.Listen(t.Context(), "tcp", address)
}

func TestFault_Down_ClosesOpenRequests(t *testing.T) {
	t.Parallel()
	s, client := startServer(t, nil)
	o := newOrder(t, "pm_timeout_charged", 100)
	failed := make(chan error, 1)
	go func() {
		_, err := client.Charge(t.Context(), o)
		failed <- err
	}()
	require.Eventually(t, func() bool { return lookUpResult(t, client, o.Reference) == payment.Succeeded }, maxWait,
		pollInterval)
	require.NoError(t, s.Inject(Fault{Kind: Down, For: 10 * time.Millisecond}))
	requireUnknown(t, <-failed)
}

func TestFault_CountAndProbability_LimitHowOftenItApplies(t *testing.T) {
	t.Parallel()
	var f faults
	f.add(Fault{Kind: RateLimit, Count: 3})
	f.add(Fault{Kind: Unavailable, Probability: 0.25, Seed: 7})
	f.add(Fault{Kind: WebhookDelay, Count: 1, Delay: time.Second})
	strikes := func() (kinds []FaultKind) {
		for range 400 {
			kinds = append(kinds, f.forRequest(Charges).Kind)
		}
		return kinds
	}
	count := func(kinds []FaultKind, of FaultKind) (n int) {
		for _, k := range kinds {
			if k == of {
				n++
			}
		}
		return n
	}
	first := strikes()
	require.Equal(t, []FaultKind{RateLimit, RateLimit, RateLimit}, first[:3])
	require.Equal(t, 3, count(first, RateLimit))
	require.InDelta(t, 100, count(first, Unavailable), 40)
	require.Len(t, f.list(), 2, "used-up faults must be removed")
	now := testtime.Now()
	require.Equal(t, []time.Time{now.Add(time.Second)}, f.deliveryTimes(now))
	require.Equal(t, []time.Time{now}, f.deliveryTimes(now))

	f.clear()
	f.add(Fault{Kind: Unavailable, Probability: 0.25, Seed: 7})
	once := strikes()
	f.clear()
	f.add(Fault{Kind: Unavailable, Probability: 0.25, Seed: 7})
	require.Equal(t, once, strikes(), "the same seed must repeat the choices")
}

func TestFault_WithDuration_Ends(t *testing.T) {
	t.Parallel()
	s, client := startServer(t, nil)
	require.NoError(t, s.Inject(Fault{Kind: Unavailable, For: 50 * time.Millisecond}))
	o := newOrder(t, "pm_ok", 100)
	require.Eventually(t, func() bool {
		_, err := client.Charge(t.Context(), o)
		return err == nil
	}, maxWait, pollInterval)
	require.Empty(t, s.faults.list())
}

func TestInject_InvalidFault_IsRejected(t *testing.T) {
	t.Parallel()
	s, _ := startServer(t, nil)
	for _, f := range []Fault{
		{}, {Kind: "fire"}, {Kind: Delay, On: "wallets"}, {Kind: Down}, {Kind: Down, For: 2 * time.Hour},
		{Kind: Delay, Delay: -1},
		{Kind: Delay, Delay: 2 * time.Hour}, {Kind: RateLimit, Count: -1}, {Kind: RateLimit, Probability: 1.5},
	} {
		require.ErrorIs(t, s.Inject(f), errFault, "%+v", f)
	}
}

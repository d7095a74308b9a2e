package sandbox

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// fileVariable names the journal. If it is set, the test binary runs a sandbox instead of tests.
const fileVariable = "SANDBOX_TEST_FILE"

func TestMain(m *testing.M) {
	if file := os.Getenv(fileVariable); file != "" {
		s, err := Start(Config{File: file, Key: testKey, WebhookSecret: testSecret, SlowDelay: 20 * time.Millisecond})
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString(s.URL() + "\n")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the test ends or kills this process
		return
	}
	os.Exit(m.Run())
}

// startProcess runs a sandbox in a separate process; kill ends it as kill -9 does.
func startProcess(t *testing.T, file string) (c *Client, kill func()) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	process := exec.Command(self)
	process.Env = append(os.Environ(), fileVariable+"="+file)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	require.NoError(t, err)
	stdout, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	kill = sync.OnceFunc(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		_ = stdin.Close()
	})
	t.Cleanup(kill)
	url, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return newTestClient(t, strings.TrimSpace(url), testKey), kill
}

// sentOrder is an order with its result.
type sentOrder struct {
	order   payment.ChargeOrder
	outcome payment.Outcome
	err     error
}

func TestServer_KilledWithOrdersInFlight_KeepsAcknowledgedOrders(t *testing.T) {
	t.Parallel()
	const rounds, clients, beforeTheKill = 3, 16, 100
	methods := []string{"pm_ok", "pm_declined", "pm_slow", "pm_timeout_charged", "pm_timeout_not_charged"}
	file := filepath.Join(t.TempDir(), "sandbox.db")
	var all []sentOrder
	acknowledged := 0
	for range rounds {
		client, kill := startProcess(t, file)
		var mu sync.Mutex
		answered := make(chan struct{}, clients)
		ctx, stop := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		for i := range clients {
			sending.Go(func() {
				for n := i; ctx.Err() == nil; n++ {
					method := "pm_ok"
					if n%7 == 0 {
						method = methods[n/7%len(methods)]
					}
					o := newOrder(t, method, int64(n+1))
					limited, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
					outcome, err := client.Charge(limited, o)
					cancel()
					mu.Lock()
					all = append(all, sentOrder{o, outcome, err})
					mu.Unlock()
					if err == nil {
						select {
						case answered <- struct{}{}:
						case <-ctx.Done():
						}
					}
				}
			})
		}
		for range beforeTheKill {
			select {
			case <-answered:
			case <-time.After(maxWait):
				require.FailNow(t, "the sandbox doesn't respond")
			}
		}
		kill()
		stop()
		sending.Wait()
	}

	client, _ := startProcess(t, file)
	sums := netAmounts(t, client)
	for _, s := range all {
		found, err := client.FindCharge(t.Context(), s.order.Reference, "")
		require.NoError(t, err)
		if s.err == nil {
			acknowledged++
			require.Equal(t, s.outcome, found, "acknowledged orders must be kept")
		}
		if notDone, ok := errors.AsType[*payment.NotDone](s.err); ok {
			require.Equal(t, payment.Absent, found.Result, "%v", notDone)
		}
		require.Equal(t, found.Amount, sums[s.order.Reference], "a charge and its transaction are written together")
	}
	require.GreaterOrEqual(t, acknowledged, rounds*beforeTheKill)

	for _, s := range all { // send orders with an unknown outcome again
		if s.err != nil && s.order.Method == "pm_ok" {
			require.Equal(t, payment.Succeeded, mustCharge(t, client, s.order).Result)
		}
	}
	sums = netAmounts(t, client)
	for _, s := range all {
		if s.order.Method == "pm_ok" {
			require.Equal(t, s.order.Amount, sums[s.order.Reference], "the order must be carried out once")
		}
	}
}

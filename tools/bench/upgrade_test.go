package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/servertest"
)

// addedMigration is the version of the migration that the newer servers of these tests have besides.
const addedMigration = 99999

// upgradeTo is an upgrade from today's server to one that has one more migration.
func upgradeTo(t *testing.T, statements string) upgradeConfig {
	t.Helper()
	root, err := servertest.Root(t.Context())
	require.NoError(t, err)
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "added.sql"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "migrations", "99999_added.sql"): file}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte("-- +goose Up\n"+statements+"\n-- +goose Down\nSELECT 1;\n"), 0o600))
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	return upgradeConfig{
		base: "today's", bookings: 2000, phase: time.Second, buildOlder: buildToday,
		buildToday: func(ctx context.Context, dir string) (string, error) {
			return servertest.Build(ctx, dir, "-overlay", overlay)
		},
	}
}

func TestUpgrade_MigrationThatLocksATable_IsSeenAndNoRequestFails(t *testing.T) {
	t.Parallel()
	u, err := measureUpgrade(t.Context(), upgradeTo(t, "LOCK TABLE bookings; SELECT pg_sleep(0.5);"), t.Output())
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, u.write(&out))
	require.NoError(t, u.failure(), out.String())
	require.Positive(t, u.told)

	wait := u.waits[waiter{phaseMigrations, olderServer}]
	require.Greater(t, wait.took, 200*time.Millisecond)
	require.Contains(t, wait.what, "table bookings")
	require.Len(t, u.migrations, 1)
	require.EqualValues(t, addedMigration, u.migrations[0].version)
	require.Greater(t, u.migrations[0].at.Sub(u.began[phaseMigrations]), 500*time.Millisecond)
	// Each server gets requests in its phases only, and all kinds of requests are sent.
	servers, names := map[int]map[string]bool{}, map[string]bool{}
	for _, r := range u.requests {
		if servers[r.phase] == nil {
			servers[r.phase] = map[string]bool{}
		}
		servers[r.phase][r.server], names[r.name] = true, true
	}
	for phase, want := range []map[string]bool{
		phaseBefore: {olderServer: true}, phaseMigrations: {olderServer: true}, phaseMigrated: {olderServer: true},
		phaseBoth: {olderServer: true, todaysServer: true},
	} {
		require.Equal(t, want, servers[phase], upgradePhases[phase])
	}
	require.True(t, servers[phaseAfter][todaysServer])
	require.Len(t, names, 7)
	require.Regexp(t, `(?m)^\| migrations \| \d+\.\d \| \d+ \| 0 \| .*on table bookings`, out.String())
	require.Regexp(t, `(?m)^\| 99999 \| \d\.\d\d \|$`, out.String())
}

func TestUpgrade_MigrationThatTheOlderServerCantLiveWith_IsReported(t *testing.T) {
	t.Parallel()
	u, err := measureUpgrade(t.Context(), upgradeTo(t, "REVOKE INSERT ON bookings FROM holdfast_app;"), t.Output())
	require.NoError(t, err)
	require.ErrorContains(t, u.failure(), "requests failed")
	var out bytes.Buffer
	require.NoError(t, u.write(&out))
	require.Regexp(t, `(?m)^\d+ × create of older-server, older server, new tables: 500: `, out.String())
	require.Contains(t, out.String(), "older-server logged ")
	require.Contains(t, out.String(), "permission denied for table bookings")
	for _, r := range u.requests {
		require.False(t, r.phase == phaseBefore && r.failure != "", "%+v", r)
	}
}

func TestBalancer_ServerThatIsNotReady_GetsNoMoreRequests(t *testing.T) {
	t.Parallel()
	status := make(chan int, 1)
	status <- http.StatusOK
	fake := func(ready func() int) *server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(ready()) }))
		t.Cleanup(s.Close)
		return &server{addr: s.Listener.Addr().String()}
	}
	stops := fake(func() int {
		now := <-status
		status <- now
		return now
	})
	stays := fake(func() int { return http.StatusOK })
	var b balancer
	b.add(stops)
	b.add(stays)
	require.Same(t, stops, b.pick(0))
	require.Same(t, stays, b.pick(1))
	go func() { _ = b.run(t.Context()) }()
	<-status
	status <- http.StatusServiceUnavailable
	require.Eventually(t, func() bool { return b.pick(0) == stays && b.pick(1) == stays }, 10*time.Second, time.Millisecond)
}

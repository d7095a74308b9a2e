package operator_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// dateLock returns the lock of a tenant's date.
func dateLock(t testing.TB, tenant uuid.UUID) (name string, key int64) {
	t.Helper()
	keys, err := lock.Dates(tenant, lock.Date(testtime.Date(0)))
	require.NoError(t, err)
	return keys.Keys()[0].Name(), keys.Keys()[0].ID()
}

func TestLocks_ShowWhoHoldsAndWhoWaitsForWhom(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	p := s.at(t, s.signedIn(t), "/locks")
	require.Contains(t, p.Text(), "Nobody holds a lock.")
	name, key := dateLock(t, id)
	s.hold(t, key)
	p = s.at(t, p, "/locks")
	require.Contains(t, p.Text(), "Locks that are held or awaited: 1. Sessions that wait: 0.")
	require.NotContains(t, p.Text(), "The longest wait")
	s.wait(t, key)
	p = s.at(t, p, "/locks")
	var holder, waiter int
	require.NoError(t, s.sql.QueryRow(t.Context(), `SELECT
		(SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = d.oid),
		(SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = d.oid)
		FROM pg_database d WHERE datname = current_database()`).Scan(&holder, &waiter))
	text := p.Text()
	require.Contains(t, text, "Sessions that wait: 1.")
	require.Contains(t, text, name+" {tenant}:{date} of harbour · key "+strconv.FormatInt(key, 10))
	require.Contains(t, text, "behind "+strconv.Itoa(holder))
	require.Regexp(t, strconv.Itoa(waiter)+` waits( for [0-9.]+ s)? ?, for `+name, text)
	require.Contains(t, text, strconv.Itoa(holder)+" must finish first")
	require.Contains(t, text, "SELECT pg_advisory_xact_lock")
	require.Contains(t, text, "every write that can change what is free on that date", "what the registry says")
	require.Equal(t, "Harbour Tours active", p.Follow(t, "harbour").Heading())
}

func TestLocks_AsAFragment_AreTheContentAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.signedIn(t)
	p.By.Header.Set("Holdfast-Fragment", "1")
	p = s.at(t, p, "/locks")
	require.NotContains(t, p.Raw, "<html")
	require.Contains(t, p.Raw, `data-refresh="2"`)
	anybody := pagetest.NewVisitor(t)
	anybody.Header.Set("Holdfast-Fragment", "1")
	require.Equal(t, http.StatusUnauthorized, anybody.Open(t, s.url+"/operator/locks").Status,
		"the script loads the page anew")
}

func TestLocks_InABrowser_AreLoadedAnewUntilPaused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id, _ := s.addTenant(t, "harbour", "Harbour Tours")
	name, key := dateLock(t, id)
	b := s.browser(t, pagetest.Desktop)
	b.Open(t, s.url+"/operator/locks")
	b.Await(t, "Locks")
	require.Contains(t, b.Text(t, "main"), "Nobody holds a lock.")
	s.hold(t, key)
	shows := func(text string) func() bool {
		return func() bool {
			script := "document.querySelector('main').textContent.includes(" + strconv.Quote(text) + ")"
			found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool](script))
			return err == nil && found
		}
	}
	require.Eventually(t, shows(name), 30*time.Second, 50*time.Millisecond)
	b.Run(t, chromedp.Click(chromedp.CSS("#registry-0 summary")))
	s.wait(t, key)
	for range 2 { // the summary has no focus any more
		b.Run(t, chromedp.Click(chromedp.CSS("[data-pause] button")))
	}
	require.Eventually(t, shows("The longest wait"), 30*time.Second, 50*time.Millisecond)
	open := pagetest.Value(t, b, chromedp.Evaluate[bool]("document.querySelector('#registry-0').open"))
	require.True(t, open, "what is open stays open")
	b.Run(t, chromedp.Click(chromedp.CSS("[data-pause] button")))
	require.Equal(t, "Go on", b.Text(t, "[data-pause] button"))
}

// browser returns a tab in which the operator has signed in.
func (s *server) browser(t testing.TB, d pagetest.Device) *pagetest.Browser {
	t.Helper()
	b := pagetest.NewBrowser(t, d)
	b.Open(t, s.url+"/operator/sign-in")
	b.Fill(t, "admin_key", adminKey)
	b.Fill(t, "name", "Ada, support")
	b.Press(t, "Sign in")
	b.Await(t, "Tenants")
	return b
}

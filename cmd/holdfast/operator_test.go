package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
)

// operatorOf returns the first page of the operator's console of a server.
func operatorOf(t testing.TB, p *proc) *pagetest.Page {
	t.Helper()
	form := pagetest.NewVisitor(t).Open(t, p.url+"/operator").Form(t, "Sign in")
	page := form.With("admin_key", testAdminKey).With("name", "Ada").Submit(t)
	require.Equal(t, "Tenants", page.Heading(), page.Text())
	return page
}

func TestServe_OperatorsConsole_ShowsTheServersOwnFigures(t *testing.T) {
	t.Parallel()
	p := start(t, filledDir(t))
	tenants := operatorOf(t, p)
	var page *pagetest.Page
	require.Eventually(t, func() bool { // until the server has its first sample
		page = tenants.Follow(t, "Metrics")
		require.Equal(t, http.StatusOK, page.Status)
		return strings.Contains(page.Text(), "All figures are within their limits.")
	}, 30*time.Second, 50*time.Millisecond)
	require.Contains(t, page.Text(), "Ready")
	require.Contains(t, page.Follow(t, "Locks").Text(), "Nobody holds a lock.")
	for _, asset := range []string{"/operator-assets/operator.css", "/operator-assets/operator.js"} {
		require.Contains(t, page.Raw, asset)
		require.Equal(t, http.StatusOK, page.By.Open(t, p.url+asset).Status)
	}
}

func TestServe_OperatorsConsoleOfSeveralCells_ShowsEach(t *testing.T) {
	t.Parallel()
	env := cellsFile(t, "eu1", dbtest.Database(t), "eu2", dbtest.Database(t))
	p := startCells(t, newDir(t), env)
	page := operatorOf(t, p)
	ids := map[string]string{}
	for _, name := range []string{"eu1", "eu2"} {
		form := page.By.Open(t, p.url+"/operator/new-tenant?cell="+name).Form(t, "Make the tenant")
		made := form.With("slug", "of-"+name).With("name", "Of "+name).With("time_zone", "UTC").With("currency",
			"EUR").Submit(t)
		require.Equal(t, http.StatusOK, made.Status, made.Text())
		one := made.Follow(t, "I have copied it")
		require.Equal(t, "Of "+name+" active", one.Heading())
		ids[name] = strings.TrimPrefix(one.URL.Path, "/operator/tenants/")
		require.NoError(t, uuid.Validate(ids[name]))
		suspended := one.Press(t, "Suspend")
		require.Contains(t, suspended.Text(), "The tenant is suspended.")
	}
	for name, other := range map[string]string{"eu1": "eu2", "eu2": "eu1"} {
		list := page.By.Open(t, p.url+"/operator/tenants?cell="+name)
		require.Contains(t, list.Raw, "/operator/tenants/"+ids[name])
		require.NotContains(t, list.Raw, ids[other])
		found := list.Form(t, "Find").With("slug", "of-"+other).Submit(t)
		require.Contains(t, found.Raw, ids[other], "a slug is found in any cell")
		require.Equal(t, name,
			page.By.Open(t, p.url+"/operator/locks?cell="+name).Form(t, "Look there").Values.Get("cell"))
		require.Contains(t, page.By.Open(t, p.url+"/operator/metrics").Raw, ">"+name+"</th>",
			"lines of cells have their names")
	}
	for _, asset := range []string{"/operator-assets/operator.css", "/operator-assets/operator.js"} {
		require.Equal(t, http.StatusOK, page.By.Open(t, p.url+asset).Status)
	}
}

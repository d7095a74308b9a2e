package main

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUser_InviteLinkListRemove_ManageWhoSignsIn(t *testing.T) {
	t.Parallel()
	b := newEventsBundle(t)
	run := func(arguments ...string) (string, int) {
		p, code := run(t, b.dir, []string{"HOLDFAST_DATABASE_URL=" + b.url}, append([]string{"user"}, arguments...)...)
		return p.Stdout.String() + p.log(), code
	}
	link := regexp.MustCompile(`sign in once, within seven days: http://\S+/console/tenant-a/enter/\S+\n`)
	printed, code := run("invite", "tenant-a", "--email=ada@example.com", "--name=Ada Lovelace", "--role=owner")
	require.Zero(t, code, printed)
	require.Regexp(t, link, printed)
	printed, code = run("invite", "tenant-a", "--email=ADA@example.com", "--name=Ada", "--role=read")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "already_exists")
	printed, code = run("link", b.a.String(), "ada@example.com")
	require.Zero(t, code, printed)
	require.Regexp(t, link, printed)
	for _, wrong := range [][]string{
		{"link", "tenant-b", "ada@example.com"}, {"link", "nobody", "ada@example.com"},
		{"remove", "tenant-b", "ada@example.com"},
		{"invite", "tenant-a", "--email=not an email", "--name=Ada", "--role=owner"},
		{"invite", "tenant-a", "--email=bert@example.com", "--name=Bert", "--role=king"},
	} {
		printed, code = run(wrong...)
		require.NotZero(t, code, printed)
	}
	printed, code = run("list", "tenant-a")
	require.Zero(t, code, printed)
	require.Regexp(t, `^[0-9a-f-]{36} +owner +ada@example\.com +Ada Lovelace\n$`, printed)
	printed, code = run("remove", "tenant-a", "ada@example.com")
	require.Zero(t, code, printed)
	printed, code = run("list", "tenant-a")
	require.Zero(t, code, printed)
	require.Empty(t, printed)
	printed, code = run("link", "tenant-a", "ada@example.com")
	require.Equal(t, 1, code, printed)
}

func TestServe_Demo_PrintsALinkThatSignsIn(t *testing.T) {
	t.Parallel()
	p, _ := startDemo(t, filledDir(t))
	link := regexp.MustCompile(`The business signs in, once, at (http\S+)`).FindStringSubmatch(p.Stdout.String())
	require.Len(t, link, 2)
	page, err := p.client.Get(link[1])
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode)
}

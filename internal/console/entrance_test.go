package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
)

func TestEntrance_LeadsPeopleToPagesAndProgramsToTheAPI(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	v := pagetest.NewVisitor(t)
	require.Contains(t, v.Open(t, s.url+"/").Raw, `"docs":"/docs"`)
	v.Header.Set("Accept", "text/html")
	p := v.Open(t, s.url+"/")
	require.Equal(t, "/start", p.URL.Path)
	require.Equal(t, "Where do you want to go?", p.Heading())
	require.Equal(t, "/console/harbour/sign-in", p.Form(t, "Console").With("business", "harbour").Submit(t).URL.Path)
	require.Equal(t, "/book/harbour", p.Form(t, "Book").With("business", "harbour").Submit(t).URL.Path)
	require.Equal(t, "/console/harbour/sign-in", v.Open(t, s.url+"/console").Form(t, "Continue").With("business",
		"harbour").Submit(t).URL.Path)
	for _, odd := range []string{"../x", "//evil.example", "a/b", "%2F", "?x=1"} {
		answer := p.Form(t, "Console").With("business", odd).Submit(t)
		require.Less(t, answer.Status, http.StatusInternalServerError, odd)
		require.Equal(t, p.URL.Host, answer.URL.Host, odd)
	}
}

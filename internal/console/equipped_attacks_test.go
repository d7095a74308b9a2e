package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestAttack_TextsOfTheCatalogAndOfDevelopers_AreShownAsText(t *testing.T) {
	t.Parallel()
	e := equip(t, hostile)
	p := e.signedIn(t, "ada", user.RoleOwner)
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|\son[a-z]+=|style=`)
	for _, path := range e.pages() {
		shown := e.at(t, p, path)
		require.Equal(t, http.StatusOK, shown.Status, "%s: %s", path, shown.Text())
		require.NotContains(t, shown.Raw, "<script>alert", path)
		require.NotContains(t, shown.Raw, "<img", path)
		require.NotRegexp(t, inline, regexp.MustCompile(`&#34;&gt;&lt;script.*?\{\{7\*7\}\}`).ReplaceAllString(shown.Raw, ""), path)
	}
	for _, path := range []string{
		"/services/" + e.service, "/resources/" + e.resource, "/closures", "/blocks", "/api-keys", "/webhooks/" + e.endpoint, "/scheduled-events",
	} {
		require.Contains(t, e.at(t, p, path).Text(), hostile, path)
	}
}

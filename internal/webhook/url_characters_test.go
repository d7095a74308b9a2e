package webhook_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

func TestCheckURL_CharactersThatAreNotOfAURL_AreRefused(t *testing.T) {
	t.Parallel()
	for _, character := range []string{
		" ", "\t", "\r", "\n", "\x00", "\x1b", "\x7f", "\u00a0", "\u2028", "\u202e", "ü", "🚣", "\xff", `"`, "<", ">",
		`\`, "^", "`", "{",
		"|", "}", "%", "%2~", "%2g", "%zz", "%é",
	} {
		for _, text := range []string{
			"https://example.com/a" + character + "b", "https://example.com/a?b=c" + character + "d",
			"https://example.com/a" + character,
			"https://example.com/?" + character, "https://example.com/?a=%2", " https://example.com/" + character,
			"https://exa" +
				character + "mple.com/",
		} {
			requireField(t, "invalid_format", webhook.CheckURL(text, nil), text)
		}
	}
}

func TestCheckURL_EveryCharacterOfAURL_PassesAndIsSentAsItIs(t *testing.T) {
	t.Parallel()
	const target = "/a-._~!$&'()*+,;=:@%C3%BC%20/%2F?b-._~!$&'()*+,;=:@/?[]%C3%BC%20"
	e := startTLS(t, func(_ *endpoint, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.RequestURI)
	})
	require.NoError(t, webhook.CheckURL("https://example.com"+target, nil))
	response, err := post(t, reach(t, e), e.URL+target)
	require.NoError(t, err)
	require.Equal(t, target, response.ContentType)
}

package refused_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

const (
	secret = "the-secret-of-a-sign-in"
	path   = "/console/harbour/hours"
)

// sent returns a form that was sent to the path and refused.
func sent(values url.Values) *refused.Form {
	r := httptest.NewRequest(http.MethodPost, path, http.NoBody)
	why := problem.DocumentOf(problem.Invalid("Monday", "invalid_format", "Expected hours."))
	return refused.New(r, values, why, "req-1", "token", "code")
}

// open returns the form that a browser with a cookie is shown.
func open(address string, c *http.Cookie, secret string) *refused.Form {
	r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
	r.AddCookie(&http.Cookie{Name: c.Name, Value: "another"})
	r.AddCookie(c)
	return refused.Of(r, secret)
}

func TestForm_InItsCookie_IsShownByAnyServer_ForItsPageAndSignInAlone(t *testing.T) {
	t.Parallel()
	f := sent(url.Values{"week.monday": {"9-22"}, "token": {"secret-token"}, "code": {"GIFT"}})
	c := f.Cookie(secret, path, true)
	require.NotNil(t, c)
	require.True(t, c.HttpOnly && c.Secure)
	require.Equal(t, path, c.Path)
	require.NotContains(t, c.Value, "9-22")
	address := path + "?refused=" + f.ID
	shown := open(address, c, secret)
	require.NotNil(t, shown)
	require.Equal(t, url.Values{"week.monday": {"9-22"}}, shown.Values)
	require.Equal(t, "req-1", shown.RequestID)
	require.Equal(t, http.StatusUnprocessableEntity, shown.Problem.Status)
	require.Nil(t, open(path, c, secret), "a page that is opened as ever")
	require.Nil(t, open(path+"?refused=another", c, secret), "the page of another refusal")
	require.Nil(t, open("/console/harbour/users?refused="+f.ID, c, secret), "another page")
	require.Nil(t, open(address, c, "another sign-in"))
	require.Nil(t, open(address, &http.Cookie{Name: c.Name, Value: c.Value[:len(c.Value)-4] + "AAAA"}, secret))
}

func TestForm_ThatIsDone_IsEndedForItsPageAndSignInAlone(t *testing.T) {
	t.Parallel()
	f := sent(url.Values{"week.monday": {"9-22"}})
	r := httptest.NewRequest(http.MethodPost, path, http.NoBody)
	require.Nil(t, refused.Ended(r, path, secret, path), "nothing is kept")
	r.AddCookie(f.Cookie(secret, path, true))
	ended := refused.Ended(r, path, secret, path)
	require.NotNil(t, ended)
	require.Equal(t, path, ended.Path)
	require.Negative(t, ended.MaxAge)
	require.Empty(t, ended.Value)
	require.Nil(t, refused.Ended(r, path+"/copy", secret, path), "another form of the page")
	require.Nil(t, refused.Ended(r, path, secret, "/console"), "another page")
	require.Nil(t, refused.Ended(r, path, "another sign-in", path))
}

func TestForm_WithoutASecret_IsNotKept(t *testing.T) {
	t.Parallel()
	require.Nil(t, sent(url.Values{"name": {"Ada"}}).Cookie("", path, true))
}

func TestLocation_OfAPageWithOddCharacters_LeadsThere(t *testing.T) {
	t.Parallel()
	f := sent(nil)
	to, err := url.Parse(f.Location("/console/harbour/a?b#c", url.Values{"kind": {"stay"}}))
	require.NoError(t, err)
	require.Equal(t, "/console/harbour/a?b#c", to.Path)
	require.Equal(t, url.Values{"kind": {"stay"}, "refused": {f.ID}}, to.Query())
}

func TestForm_TooLongForACookie_HasNone(t *testing.T) {
	t.Parallel()
	require.Nil(t, sent(url.Values{"text": {randomText(4000)}}).Cookie(secret, path, true))
	require.NotNil(t, sent(url.Values{"terms": {strings.Repeat("Who books pays. ", 1000)}}).Cookie(secret, path, true),
		"it is packed")
}

// randomText returns a text that can't be packed.
func randomText(n int) (text string) {
	for len(text) < n {
		text += rand.Text()
	}
	return text
}

func TestPage_IsTheFormsPathWithoutItsLastSegments(t *testing.T) {
	t.Parallel()
	require.Equal(t, path, refused.PageOf(path, 0))
	require.Equal(t, "/console", refused.PageOf(path, 2))
}

func TestFill_PutsWhatWasTypedIntoTheFormThatWasSent_AndWhyBeforeIt(t *testing.T) {
	t.Parallel()
	const page = `<!DOCTYPE html><html><head></head><body><main>` +
		`<form method="get" action="/console/harbour/hours"><input name="name" value="search"></form>` +
		`<form method="post" action="/console/harbour/hours"><input type="hidden" name="token" value="fresh">` +
		`<input type="hidden" name="version" value="7"><input type="hidden" name="shown" value="100">` +
		`<input name="name" value="old"><textarea name="text">` + "\n" + `old</textarea>` +
		`<select name="open"><option value="always" selected="">a</option><option value="weekly">w</option></select>` +
		`<input type="checkbox" name="tick" value="1"><input type="checkbox" name="days" value="mo" checked="">` +
		`<input type="checkbox" name="days" value="tu"><input type="password" name="secret" value="">` +
		`</form></main></body></html>`
	f := sent(url.Values{
		"name": {`"><script>`}, "text": {"\nfirst\nsecond"}, "open": {"weekly"}, "tick": {"1"}, "days": {"tu"},
		"version": {"6"},
		"shown":   {"90"}, "token": {"stale"}, "secret": {"open sesame"},
	})
	filled, err := f.Fill([]byte(page), []byte(`<div class="failure">why</div>`))
	require.NoError(t, err)
	text := string(filled)
	require.Contains(t, text, `action="/console/harbour/hours"><div class="failure">why</div><input type="hidden"`)
	require.Contains(t, text, `name="name" value="search"`, "of another form")
	require.Contains(t, text, `name="name" value="&#34;&gt;&lt;script&gt;"`)
	require.Contains(t, text, "<textarea name=\"text\">\n\nfirst\nsecond</textarea>")
	require.Contains(t, text, `<option value="always">a</option><option value="weekly" selected="">`)
	require.Contains(t, text, `name="tick" value="1" checked=""`)
	require.Contains(t, text, `name="days" value="mo"/><input type="checkbox" name="days" value="tu" checked=""`)
	require.Contains(t, text, `name="version" value="6"`, "nobody's change between is lost")
	require.Contains(t, text, `name="shown" value="100"`, "what the page shows now")
	require.Contains(t, text, `name="token" value="fresh"`)
	require.NotContains(t, text, "open sesame")
	gone, err := f.Fill([]byte(`<main><p>It is done.</p></main>`), []byte(`<p>why</p>`))
	require.NoError(t, err)
	require.Contains(t, string(gone), `<main><p>why</p><p>It is done.</p></main>`)
}

func TestFill_SaysBesideEachFieldWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	f := sent(url.Values{"monday": {"9-22"}})
	f.Problem.Errors = append(f.Problem.Errors,
		problem.Field{Name: "note", Detail: "Too <long>."}, problem.Field{Name: "elsewhere", Detail: "Not here."})
	page := `<form method="post" action="` + path + `"><label><span>Monday</span><input name="monday"></label>` +
		`<details><summary>Rare</summary><textarea name="note"></textarea></details><input name="other"></form>`
	filled, err := f.Fill([]byte(page), []byte(`<p>Refused</p>`))
	require.NoError(t, err)
	for _, part := range []string{
		`<label><span>Monday</span><input name="monday" value="9-22" aria-invalid="true" aria-describedby="wrong-0"/>` +
			`<small id="wrong-0" class="wrong">Expected hours.</small></label>`,
		`<details open="">`,
		`<textarea name="note" aria-invalid="true" aria-describedby="wrong-1"></textarea>` +
			`<small id="wrong-1" class="wrong">Too &lt;long&gt;.</small>`,
		`<input name="other"/>`,
	} {
		require.Contains(t, string(filled), part)
	}
	require.NotContains(t, string(filled), "Not here.")
}

package console_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

// upload sends the form of the settings page p that uploads the logo.
func (s *business) upload(t testing.TB, p *pagetest.Page, file []byte) *pagetest.Page {
	t.Helper()
	form := p.Form(t, "Upload the logo")
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name := range form.Values {
		if name != "file" {
			require.NoError(t, w.WriteField(name, form.Values.Get(name)))
		}
	}
	part, err := w.CreateFormFile("file", `lo"go.png`)
	require.NoError(t, err)
	_, err = part.Write(file)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return s.send(t, p, form.Action, w.FormDataContentType(), b.String())
}

// send sends a body of a media type as the browser that shows p, and follows where it leads.
func (s *business) send(t testing.TB, p *pagetest.Page, address, media, body string) *pagetest.Page {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", media)
	response, err := p.By.Client.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	return p.By.Read(t, response)
}

// logo returns where the API says that the logo is, nil without one.
func (s *business) logo(t testing.TB) any {
	t.Helper()
	return s.call(t, http.MethodGet, "/v1/tenant", s.key, nil)["logo"]
}

func TestLogo_UploadedAndRemoved_InTheSettings(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	settings := s.at(t, p, "/settings")
	require.Empty(t, settings.All(atom.Img))
	image := pagetest.LargestLogo(t, 1)
	done := s.upload(t, settings, image)
	require.Equal(t, http.StatusOK, done.Status, done.Text())
	require.Contains(t, done.Text(), "The logo is saved.")
	require.NotNil(t, s.logo(t))
	shown := p.By.Open(t, done.Resolve(t, pagetest.Attribute(done.All(atom.Img)[0], "src")))
	require.Equal(t, string(image), shown.Raw)
	require.Equal(t, "image/png", shown.Header.Get("Content-Type"))
	require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
	require.NotEqual(t, "image/png", pagetest.NewVisitor(t).Open(t, shown.URL.String()).Header.Get("Content-Type"),
		"nobody is signed in")

	stale := s.upload(t, settings, pagetest.LargestLogo(t, 2))
	require.Equal(t, http.StatusPreconditionFailed, stale.Status, "the page is older than the settings")
	require.Len(t, stale.All(atom.Img), 1)
	removed := done.Press(t, "Remove the logo")
	require.Contains(t, removed.Text(), "The logo is removed.")
	require.Empty(t, removed.All(atom.Img))
	require.Nil(t, s.logo(t))
}

func TestLogo_ThatNoPageCanShow_IsRefusedInWords(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	for name, c := range map[string]struct {
		file   string
		status int
		words  string
	}{
		"none": {"", http.StatusUnprocessableEntity, "Image : Choose an image first."},
		"SVG": {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
			http.StatusUnprocessableEntity, "Expected an image in PNG or JPEG."},
		"bytes": {"\x00\xff\x1b", http.StatusUnprocessableEntity, "Expected an image in PNG or JPEG."},
		"too large": {string(pagetest.LargestLogo(t, 1)) + "x", http.StatusUnprocessableEntity,
			"at most 32768 bytes"},
		"much larger": {strings.Repeat("x", 100_000), http.StatusRequestEntityTooLarge, "The file is too large."},
	} {
		answer := s.upload(t, s.at(t, p, "/settings"), []byte(c.file))
		require.Equal(t, c.status, answer.Status, name)
		require.Contains(t, answer.Text(), c.words, name)
	}
	require.Nil(t, s.logo(t))
}

func TestAttack_UploadsThatAreNoForms_ChangeNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	foreign := tokenOf(t, s.signedIn(t, "eve", user.RoleOwner)).Get("token")
	address, token := s.url+"/console/harbour/settings/logo", tokenOf(t, p).Get("token")
	field := func(name, value string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	file := string(pagetest.LargestLogo(t, 1))
	const media = "multipart/form-data; boundary=x"
	for name, c := range map[string]struct {
		media, body string
		status      int
	}{
		"no multipart": {"application/x-www-form-urlencoded", "token=" + token,
			http.StatusUnsupportedMediaType},
		"JSON":        {"application/json", "{}", http.StatusUnsupportedMediaType},
		"no boundary": {"multipart/form-data", field("token", token), http.StatusBadRequest},
		"nothing":     {media, "", http.StatusBadRequest},
		"no end":      {media, field("token", token) + "--x\r\n", http.StatusBadRequest},
		"no token":    {media, field("file", file) + "--x--", http.StatusForbidden},
		"another one's token": {media, field("token", foreign) + field("file", file) + "--x--",
			http.StatusForbidden},
		"U+0000": {media, field("token", token) + field("key", "\x00") + "--x--",
			http.StatusBadRequest},
		"no UTF-8": {media, field("token", token) + field("key\xff", "\xff") + "--x--",
			http.StatusBadRequest},
		"no version": {media, field("token", token) + field("file", file) + "--x--",
			http.StatusPreconditionFailed},
		"many parts": {media, strings.Repeat(field("a", ""), 900) + "--x--", http.StatusForbidden},
		"a header of 30,000 bytes": {media, "--x\r\nA: " + strings.Repeat("a", 30_000) + "\r\n\r\n\r\n--x--",
			http.StatusForbidden},
	} {
		answer := s.send(t, p, address, c.media, c.body)
		require.Equal(t, c.status, answer.Status, "%s: %s", name, answer.Text())
	}
	for _, role := range []user.Role{user.RoleStaff, user.RoleRead} {
		other := s.signedIn(t, string(role), role)
		body := field("token", tokenOf(t, other).Get("token")) + field("key", uuid.NewString()) +
			field("version", "1") + field("file", file) + "--x--"
		require.Equal(t, http.StatusForbidden, s.send(t, other, address, media, body).Status, role)
		require.Equal(t, http.StatusForbidden, s.at(t, other, "/settings/logo/x").Status, role)
	}
	require.Nil(t, s.logo(t))
}

func TestLogo_UploadedInABrowser_IsShown(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	name := filepath.Join(t.TempDir(), "logo.png")
	require.NoError(t, os.WriteFile(name, pagetest.LargestLogo(t, 1), 0o600))
	b := pagetest.NewBrowser(t, pagetest.Desktop)
	b.Open(t, s.link(t, s.user(t, "ada", user.RoleOwner)))
	b.Press(t, "Sign in")
	b.Await(t, "Today")
	b.Open(t, s.url+"/console/harbour/settings")
	b.Upload(t, "file", name)
	b.Press(t, "Upload the logo")
	require.Eventually(t, func() bool { return strings.Contains(b.Text(t, "main"), "The logo is saved.") }, patient,
		poll)
	require.NotNil(t, s.logo(t))
	b.RequireAccessible(t, "settings with a logo", pagetest.Everywhere()...)
}

package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const (
	logoPath = "/v1/tenant/logo"
	// onePixel is a PNG of one pixel in base64.
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII="
)

// picture returns an image of some pixels in base64, as encode makes it.
func picture(t testing.TB, width, height int, encode func(*bytes.Buffer, image.Image) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func asPNG(b *bytes.Buffer, m image.Image) error  { return png.Encode(b, m) }
func asJPEG(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
func asGIF(b *bytes.Buffer, m image.Image) error  { return gif.Encode(b, m, nil) }

func TestLogo_SetAndRemoved_RaisesTheVersionOfTheSettings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.NotContains(t, c.get(t, "/v1/tenant").ok(t).body, "logo")
	set := c.put(t, logoPath, object{"data": onePixel}).ok(t)
	require.Equal(t, `"2"`, set.header.Get("ETag"))
	require.Regexp(t, "^/book/[^/]+/logo/[0-9a-f]{16}$", set.field(t, "logo"))
	require.Equal(t, set.body, c.get(t, "/v1/tenant").ok(t).body)
	require.Equal(t, `"2"`, c.put(t, logoPath, object{"data": onePixel}).ok(t).header.Get("ETag"), "it is so already")
	other := c.put(t, logoPath, object{"data": picture(t, 1024, 1024, asJPEG)}).ok(t)
	require.Equal(t, `"3"`, other.header.Get("ETag"))
	require.NotEqual(t, set.field(t, "logo"), other.field(t, "logo"))
	kept := c.patch(t, "/v1/tenant", object{"name": "Harbour"}).ok(t)
	require.Equal(t, other.field(t, "logo"), kept.field(t, "logo"), "other settings leave it")
	for range 2 {
		require.Equal(t, http.StatusNoContent, c.delete(t, logoPath).status)
		now := c.get(t, "/v1/tenant").ok(t)
		require.Equal(t, `"5"`, now.header.Get("ETag"))
		require.Nil(t, now.field(t, "logo"))
	}
}

func TestLogo_WithAStaleVersion_StaysAsItIs(t *testing.T) {
	t.Parallel()
	c := setup(t)
	before := c.put(t, logoPath, object{"data": onePixel}).ok(t)
	other := object{"data": picture(t, 2, 2, asPNG)}
	for _, stale := range []answer{
		c.put(t, logoPath, other, "If-Match", `"1"`), c.send(t, http.MethodDelete, logoPath, nil, "If-Match", `"1"`),
	} {
		requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
		require.Equal(t, before.body, c.get(t, "/v1/tenant").ok(t).body)
	}
	c.put(t, logoPath, other, "If-Match", `"2"`).ok(t)
}

func TestLogo_ThatNoPageCanShow_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	text := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	whole := picture(t, 64, 64, asPNG)
	for name, r := range map[string]struct{ data, code string }{
		"no base64":        {"not base64", "invalid_format"},
		"base64 of URLs":   {"_-8=", "invalid_format"},
		"no padding":       {onePixel[:len(onePixel)-1], "invalid_format"},
		"SVG":              {text(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "invalid_image"},
		"HTML":             {text("<!DOCTYPE html><script>alert(1)</script>"), "invalid_image"},
		"GIF":              {picture(t, 2, 2, asGIF), "invalid_image"},
		"only a signature": {text("\x89PNG\r\n\x1a\n"), "invalid_image"},
		"half a PNG":       {whole[:len(whole)/2/4*4], "invalid_image"},
		"too wide":         {picture(t, 1025, 1, asPNG), "invalid_image"},
		"too high":         {picture(t, 1, 1025, asPNG), "invalid_image"},
	} {
		a := c.put(t, logoPath, object{"data": r.data})
		require.Equal(t, http.StatusUnprocessableEntity, a.status, name)
		require.Equal(t, r.code, a.field(t, "errors").([]any)[0].(object)["code"], "%s: %s", name, a.body)
		require.Equal(t, "data", a.field(t, "errors").([]any)[0].(object)["field"], name)
	}
	require.Equal(t, `"1"`, c.get(t, "/v1/tenant").header.Get("ETag"))
}

func TestLogo_OfATenant_IsOfNoOther(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ours, theirs := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	ours.put(t, logoPath, object{"data": onePixel}).ok(t)
	require.Nil(t, theirs.get(t, "/v1/tenant").field(t, "logo"))
	theirs.delete(t, logoPath)
	require.NotNil(t, ours.get(t, "/v1/tenant").field(t, "logo"))
}

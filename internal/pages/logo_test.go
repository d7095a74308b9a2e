package pages_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// setLogo gives the site's tenant a logo and returns its path.
func (s *site) setLogo(t testing.TB, image []byte) string {
	t.Helper()
	return s.call(t, http.MethodPut, "/v1/tenant/logo", s.key,
		object{"data": base64.StdEncoding.EncodeToString(image)})["logo"].(string)
}

// logos returns the sources of the images on a page.
func logos(t testing.TB, p *pagetest.Page) (sources []string) {
	t.Helper()
	for _, n := range p.All(atom.Img) {
		require.Empty(t, pagetest.Attribute(n, "alt"), "the name stands beside it")
		sources = append(sources, pagetest.Attribute(n, "src"))
	}
	return sources
}

func TestLogo_OfATenant_StandsOnItsPagesAndOnThoseOfItsBookings(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	image := pagetest.LargestLogo(t, 1)
	logo := s.setLogo(t, image)
	service := s.tour(t, 10, nil)
	list, own := s.visitor(t).book(t, ""), bookTour(t, s, service)
	require.Equal(t, []string{logo}, logos(t, list))
	require.Equal(t, []string{logo}, logos(t, own))
	require.Contains(t, list.Header.Get("Content-Security-Policy"), "img-src 'self'")

	shown := s.visitor(t).Open(t, s.url+logo)
	require.Equal(t, http.StatusOK, shown.Status)
	require.Equal(t, string(image), shown.Raw)
	require.Equal(t, "image/png", shown.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", shown.Header.Get("X-Content-Type-Options"))
	require.Equal(t, "public, max-age=31536000, immutable", shown.Header.Get("Cache-Control"))
	require.Contains(t, shown.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.Equal(t, "no-referrer", shown.Header.Get("Referrer-Policy"))
	require.NotContains(t, shown.Header.Get("Vary"), "Accept-Language")
}

func TestLogo_ReplacedOrRemoved_IsServedNoMore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	status := func(path string) int { return s.visitor(t).Open(t, s.url+path).Status }
	first := s.setLogo(t, pagetest.LargestLogo(t, 1))
	second := s.setLogo(t, pagetest.LargestLogo(t, 2))
	require.NotEqual(t, first, second)
	require.Equal(t, http.StatusNotFound, status(first))
	require.Equal(t, http.StatusOK, status(second))
	require.Equal(t, http.StatusNotFound, status(second+"0"))
	require.Equal(t, http.StatusNotFound, status("/book/harbour/logo/"+strings.Repeat("%27", 100)))
	require.Equal(t, http.StatusNotFound, status(strings.Replace(second, s.slug, "nobody", 1)))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.url+"/v1/tenant/logo", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusNoContent, response.StatusCode)
	gone := s.visitor(t).Open(t, s.url+second)
	require.Equal(t, http.StatusNotFound, gone.Status)
	require.Equal(t, "no-store", gone.Header.Get("Cache-Control"))
}

func TestLogo_NoLogo_NoImage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	require.Empty(t, logos(t, s.visitor(t).book(t, "")))
}

// What a browser loads to show a month for the first time: the page, its style sheet, its script and the logo.
func TestLogo_OfTheLargestSize_KeepsTheFirstViewUnder100kB(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"introduction": strings.Repeat("Tours of the harbour. ", 90)})
	logo := s.setLogo(t, pagetest.LargestLogo(t, 1))
	service := s.tour(t, 10, nil)
	loaded := func(path string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", "gzip") // of the transport's own accord it would decompress
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		raw, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		return len(raw)
	}
	page := "/book/harbour/" + service + slotQuery(testtime.Date(0), 2)
	total := loaded(page) + loaded(logo)
	shown := s.visitor(t).Open(t, s.url+page)
	for _, n := range append(shown.All(atom.Link), shown.All(atom.Script)...) {
		if path := pagetest.Attribute(n, "href") + pagetest.Attribute(n, "src"); strings.HasPrefix(path, "/") {
			total += loaded(path)
		}
	}
	require.Less(t, total, 100_000)
	require.Greater(t, total, 36_000, "the logo and the others")
}

// The logo is part of what is kept of a tenant: a page asks the database for nothing more than what is free.

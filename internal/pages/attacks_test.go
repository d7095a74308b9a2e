package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// hostile is a text that would run a script on a page that showed it as it is.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}`

func TestAttack_TextsOfPeople_AreShownAsText(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"introduction": hostile, "contact": hostile, "terms": hostile})
	s.set(t, object{"name": hostile})
	service := s.tour(t, 10, object{"name": hostile, "description": hostile})
	v := s.visitor(t)
	list := v.book(t, "")
	terms := v.book(t, "/terms")
	hold := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Press(t, "10:00")
	wrong := hold.Form(t, "Book now").With("name", hostile).With("email", hostile).With("phone", hostile).With("terms",
		"yes").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, wrong.Status)
	booked := hold.Form(t, "Book now").With("name", hostile).With("email", "ada@example.com").With("terms",
		"yes").Submit(t)
	require.Equal(t, "You are booked", booked.Heading())
	cancel := ownPage(t, booked).Follow(t, "Cancel the booking")
	notice := v.Open(t, ownPage(t, booked).URL.String()+"?done="+hostile+"&payment_id="+hostile+"&lang="+hostile)
	for name, p := range map[string]*pagetest.Page{
		"services": list, "terms": terms, "hold": hold, "wrong details": wrong, "booked": booked, "cancel": cancel,
		"notice": notice,
	} {
		require.NotContains(t, p.Raw, "<script>alert", name)
		require.NotContains(t, p.Raw, "<img", name)
	}
	require.Contains(t, list.Text(), hostile)
	require.Contains(t, booked.Text(), hostile)
	entry := ownPage(t, booked).Follow(t, "Add to calendar")
	require.NotContains(t, entry.Raw, "\r\nATTENDEE")
}

func TestAttack_NoInlineScript_AndNothingFromAnotherHost(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"embed_origins": []string{"https://www.harbour.example"}})
	own := bookTour(t, s, s.tour(t, 10, nil))
	inline := regexp.MustCompile(`<script(?:>| [^>]*>[^<])|\son[a-z]+=|style=`)
	elsewhere := regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//`)
	for _, p := range []*pagetest.Page{s.visitor(t).book(t, ""), own, own.By.Open(t, own.URL.String()+"/move")} {
		policy := p.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.Contains(t, policy, "script-src 'self';")
		require.NotContains(t, policy, "unsafe")
		require.Contains(t, policy, "frame-ancestors 'self' https://www.harbour.example;")
		require.Contains(t, policy, "base-uri 'none'")
		require.NotRegexp(t, inline, p.Raw)
		require.NotRegexp(t, elsewhere, p.Raw)
		require.Equal(t, "nosniff", p.Header.Get("X-Content-Type-Options"))
	}
}

func TestAttack_FormsOfOtherSites_AreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	own := bookTour(t, s, service)
	evil := s.visitor(t)
	evil.Header = http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}}
	form := url.Values{"key": {"k-0123456789abcdef"}, "fee": {"9999"}, "version": {"2"}}
	for _, path := range []string{"/book/harbour/" + service, own.URL.Path + "/cancel", own.URL.Path + "/move",
		own.URL.Path + "/details"} {
		answer := evil.Send(t, http.MethodPost, s.url+path, form)
		require.Equal(t, http.StatusForbidden, answer.Status, path)
	}
	require.Equal(t, "confirmed", s.booked(t)[0]["status"])
	require.Len(t, s.booked(t), 1)
}

func TestAttack_RedirectsStayHere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	v := s.visitor(t)
	v.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	f := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Form(t, "10:00").With("return_url",
		"https://evil.example")
	f.Action += "?return_url=https://evil.example&lang=//evil.example"
	answer := f.Submit(t)
	require.Equal(t, http.StatusSeeOther, answer.Status)
	require.True(t, strings.HasPrefix(answer.Header.Get("Location"), "/booking/"), answer.Header.Get("Location"))
	require.NotContains(t, answer.Header.Get("Location"), "evil")
}

func TestAttack_BodiesThatAreNoForms_GetAPageAndHoldNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	address := s.url + "/book/harbour/" + s.tour(t, 10, nil)
	for name, c := range map[string]struct {
		media, body string
		status      int
	}{
		"JSON":          {"application/json", `{"key":"x"}`, http.StatusUnsupportedMediaType},
		"no media type": {"", "key=x", http.StatusUnsupportedMediaType},
		"multipart":     {"multipart/form-data; boundary=x", "--x--", http.StatusUnsupportedMediaType},
		"bad escapes":   {"application/x-www-form-urlencoded", "key=%zz", http.StatusBadRequest},
		"U+0000":        {"application/x-www-form-urlencoded", "key=%00", http.StatusBadRequest},
		"not UTF-8":     {"application/x-www-form-urlencoded", "key=%ff", http.StatusBadRequest},
		"too large": {"application/x-www-form-urlencoded", "key=" + strings.Repeat("x", 70_000),
			http.StatusRequestEntityTooLarge},
		"nothing": {"application/x-www-form-urlencoded", "", http.StatusBadRequest},
		"a thousand fields": {"application/x-www-form-urlencoded", strings.Repeat("a=b&", 5000) + "key=x",
			http.StatusBadRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(c.body))
		require.NoError(t, err)
		if c.media != "" {
			r.Header.Set("Content-Type", c.media)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		if name == "a thousand fields" {
			require.Less(t, response.StatusCode, http.StatusInternalServerError, name)
			continue
		}
		require.Equal(t, c.status, response.StatusCode, name)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"), name)
	}
	require.Empty(t, s.booked(t))
}

func TestAttack_PathsThatAreNoText_LeadNowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	v := s.visitor(t)
	for _, text := range []string{"%ff", "%00", "a%00b", "%c0%af", "%ed%a0%80", "harbour%00"} {
		for method, paths := range map[string][]string{
			http.MethodGet: {
				"/book/" + text, "/book/" + text + "/terms", "/book/" + text + "/logo/x", "/book/harbour/" + text,
				"/book/harbour/logo/" + text,
				"/book/" + text + "/" + service, "/booking/" + text, "/booking/" + text + "/receipts/" + text,
			},
			http.MethodPost: {"/book/" + text + "/" + service, "/book/harbour/" + text, "/booking/" + text + "/pay"},
		} {
			for _, path := range paths {
				p := v.Send(t, method, s.url+path, url.Values{"key": {"k"}})
				require.Equal(t, http.StatusNotFound, p.Status, path)
				require.Equal(t, "text/html; charset=utf-8", p.Header.Get("Content-Type"), path)
			}
		}
		for _, name := range []string{"date", "lang", "quote"} {
			p := v.Open(t, s.url+"/book/harbour/"+service+"?"+name+"="+text)
			require.Equal(t, http.StatusBadRequest, p.Status, name)
		}
	}
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)
}

func TestVisitor_WhoHoldsTooMuch_IsToldToWait(t *testing.T) {
	t.Parallel()
	s := newLimitedSite(t, nil, admission.Limits{VisitorHolds: 2})
	service := s.tour(t, 100, nil)
	hold := func() *pagetest.Page {
		return s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 1)).Press(t, "10:00")
	}
	require.Equal(t, http.StatusOK, hold().Status)
	require.Equal(t, http.StatusOK, hold().Status)
	last := hold()
	require.Equal(t, http.StatusTooManyRequests, last.Status)
	require.Contains(t, last.Text(), "Too many requests")
	require.Equal(t, http.MethodGet, last.Method, "the browser can come back to it")
}

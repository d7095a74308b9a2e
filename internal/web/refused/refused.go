// Package refused lets a page show a form that was refused, with what was typed and why, after a redirect: a browser
// that comes back to a page that was the answer to POST shows an error in its place.
//
// The form travels in a cookie that is sealed with a secret of the page's visitor: a sign-in, or the token of a link.
// So any server shows it and none has to keep anything. The cookie belongs to one page, ends after ten minutes or when
// the form is done, and is useless with another secret. The address names the refusal, so another tab of the page isn't
// filled in. What doesn't fit a cookie is shown at once, as the answer to POST: nothing that was typed is lost, only
// the way back is worse.
package refused

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"holdfast/internal/problem"
)

// Query is the parameter by which a page knows that it was opened to show a refused form. Without it a form is shown as
// ever.
const Query = "refused"

const (
	cookieName = "holdfast_refused"
	lifetime   = 10 * time.Minute
	// maxSealed is how long the value of a cookie may be: browsers keep 4096 bytes with its name.
	maxSealed = 3800
	// maxOpened bounds what a cookie is unpacked to, in bytes.
	maxOpened = 1 << 20
)

// Form is a form that was refused.
type Form struct {
	Path    string            `json:"path"` // to which it was sent
	Values  url.Values        `json:"values"`
	Problem *problem.Document `json:"problem"`
	// RequestID is that of the request that was refused.
	RequestID  string `json:"request_id"`
	RetryAfter string `json:"retry_after,omitempty"` // the header, in seconds; empty without one
	ID         string `json:"id"`                    // what Query says
}

// Shows reports whether a refusal is shown on the page of the form. A sign-in that has ended is not, nor a form about a
// person who was erased. Nor is a failure: the same form, with its key, may be sent again, and does its work once even
// if the first one did it.
func Shows(why *problem.Document) bool {
	return why.Status >= http.StatusBadRequest && why.Status < http.StatusInternalServerError &&
		why.Status != http.StatusUnauthorized &&
		why.Code != problem.Erased
}

// Instead returns what the page of the form says when it fails with err: that the form was refused, if the page can't
// show it any more. A failure stays one, after which the page may show the form. f may be nil.
func (f *Form) Instead(err error) error {
	if f == nil || !Shows(problem.DocumentOf(err)) {
		return err
	}
	return f.Problem
}

// New returns the form that a request sent and that was refused. leaveOut are the names of fields that nobody needs
// again, or that mustn't be kept: tokens, and codes that are money.
func New(r *http.Request, values url.Values, why *problem.Document, requestID string, leaveOut ...string) *Form {
	f := &Form{Path: r.URL.Path, Values: url.Values{}, Problem: &problem.Document{
		Title:        why.Title,
		Status:       why.Status,
		Detail:       why.Detail,
		Code:         why.Code,
		Errors:       why.Errors,
		PaymentID:    why.PaymentID,
		BookingIDs:   why.BookingIDs,
		BookingCount: why.BookingCount,
	}, RequestID: requestID, RetryAfter: why.GetHeaders().Get("Retry-After"), ID: rand.Text()}
	for name, list := range values {
		if !slices.Contains(leaveOut, name) {
			f.Values[name] = list
		}
	}
	return f
}

// PageOf returns the path of the page of a form at a path: that of the form without as many of its last segments as
// above says.
func PageOf(form string, above int) (page string) {
	page = form
	for range above {
		page = path.Dir(page)
	}
	return page
}

// Cookie returns the cookie that takes the form to its page at a path, sealed with a secret; nil if it is too long, or
// if there is no secret. It is for https only if secure is set.
func (f *Form) Cookie(secret, page string, secure bool) *http.Cookie {
	encoded, err := json.Marshal(f)
	if err != nil || secret == "" {
		return nil
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil
	}
	if _, err = w.Write(encoded); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil
	}
	aead, err := newAEAD(secret)
	if err != nil {
		return nil
	}
	sealed := aead.Seal(nil, nil, packed.Bytes(), []byte(page)) //nolint:gosec // G407: newAEAD makes a nonce for each by itself
	value := base64.RawURLEncoding.EncodeToString(sealed)
	if len(value) > maxSealed {
		return nil
	}
	return newCookie(value, page, lifetime, secure)
}

func newCookie(value, page string, lasts time.Duration, secure bool) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure is as the caller says
		Name:     cookieName,
		Value:    value,
		Path:     (&url.URL{Path: page}).EscapedPath(),
		MaxAge:   int(lasts.Seconds()),
		Secure:   secure,
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
}

// Location returns the address to which the browser is led: the page at a path, with the query of the form.
func (f *Form) Location(page string, query url.Values) string {
	query.Set(Query, f.ID)
	return (&url.URL{Path: page, RawQuery: query.Encode()}).String()
}

// Ended returns the cookie that ends what the browser keeps of a form at a path that was sent again, and is done; nil
// if it keeps nothing of it. secret and page are as for Cookie.
func Ended(r *http.Request, form, secret, page string) *http.Cookie {
	for _, f := range kept(r, secret, page) {
		if f.Path == form {
			return newCookie("", page, -time.Second, false) // an https page ends it all the same
		}
	}
	return nil
}

// Of returns the form that a request is to show, nil if there is none: it wasn't asked for, its time is over, or
// another secret sealed it.
func Of(r *http.Request, secret string) *Form {
	id := r.URL.Query().Get(Query)
	if id == "" {
		return nil
	}
	for _, f := range kept(r, secret, r.URL.Path) {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// kept returns the forms of a page that a request has in cookies which the secret opens.
func kept(r *http.Request, secret, page string) (forms []*Form) {
	aead, err := newAEAD(secret)
	if err != nil || secret == "" {
		return nil
	}
	for _, c := range r.CookiesNamed(cookieName) { // those of the pages above come too
		sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
		if err != nil {
			continue
		}
		packed, err := aead.Open(nil, nil, sealed, []byte(page))
		if err != nil {
			continue
		}
		f := new(Form)
		if json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxOpened)).Decode(f) == nil {
			forms = append(forms, f)
		}
	}
	return forms
}

// newAEAD returns what seals with a secret.
func newAEAD(secret string) (cipher.AEAD, error) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("refused form"))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

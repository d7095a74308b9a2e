// Package refused lets a page show a form that was refused, with what was typed and why, after a redirect: a browser that comes back to a
// page that was the answer to POST shows an error in its place.
//
// The form travels in a cookie that only the server can read or make, so that any server shows it and none has to keep anything. The cookie
// belongs to one page, ends after ten minutes and is useless with another sign-in. What doesn't fit a cookie is shown at once, as the
// answer to POST: nothing that was typed is lost, only the way back is worse.
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

// Query is the parameter by which a page knows that it was opened to show a refused form. Without it a form is shown as ever.
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
	RequestID string `json:"request_id"`
	ID        string `json:"id"` // what Query says
}

// Shows reports whether a refusal is shown on the page of the form. A sign-in that has ended is not, nor what may work when the same form
// is sent again, nor a form about a person who was erased.
func Shows(why *problem.Document) bool {
	return why.Status >= http.StatusBadRequest && why.Status < http.StatusInternalServerError && why.Status != http.StatusUnauthorized &&
		why.Code != problem.Erased
}

// New returns the form that a request sent and that was refused. leaveOut are the names of fields that nobody needs again, or that mustn't
// be kept: tokens, and codes that are money.
func New(r *http.Request, values url.Values, why *problem.Document, requestID string, leaveOut ...string) *Form {
	f := &Form{Path: r.URL.Path, Values: url.Values{}, Problem: &problem.Document{
		Title: why.Title, Status: why.Status, Detail: why.Detail, Code: why.Code, Errors: why.Errors, PaymentID: why.PaymentID,
		BookingIDs: why.BookingIDs, BookingCount: why.BookingCount,
	}, RequestID: requestID, ID: rand.Text()}
	for name, list := range values {
		if !slices.Contains(leaveOut, name) {
			f.Values[name] = list
		}
	}
	return f
}

// Page returns the path of the form's page: that of the form without its last segments.
func (f *Form) Page(above int) string {
	page := f.Path
	for range above {
		page = path.Dir(page)
	}
	return page
}

// Cookie returns the cookie that takes the form to its page at a path, sealed with a secret; nil if it is too long. It is for https only if
// secure is set.
func (f *Form) Cookie(secret, page string, secure bool) *http.Cookie {
	encoded, err := json.Marshal(f)
	if err != nil {
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
	return &http.Cookie{ //nolint:gosec // Secure is as the caller says
		Name: cookieName, Value: value, Path: page, MaxAge: int(lifetime.Seconds()), Secure: secure, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
}

// Of returns the form that a request is to show, nil if there is none: it wasn't asked for, its time is over, or another secret sealed it.
func Of(r *http.Request, secret string) *Form {
	id := r.URL.Query().Get(Query)
	if id == "" || secret == "" {
		return nil
	}
	aead, err := newAEAD(secret)
	if err != nil {
		return nil
	}
	for _, c := range r.CookiesNamed(cookieName) { // those of the pages above come too
		sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
		if err != nil {
			continue
		}
		packed, err := aead.Open(nil, nil, sealed, []byte(r.URL.Path))
		if err != nil {
			continue
		}
		f := new(Form)
		if err := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxOpened)).Decode(f); err == nil && f.ID == id {
			return f
		}
	}
	return nil
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

package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"holdfast/internal/problem"
)

// FormToken returns what each form of a sign-in carries: only pages that were made for the browser with this secret
// know it.
func FormToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CheckToken returns problem.Forbidden for a form without the token of the browser with this secret.
func (v *Visit) CheckToken(secret string) error {
	if v.Posts() && !hmac.Equal([]byte(v.Form.Get(FieldToken)), []byte(FormToken(secret))) {
		return problem.New(problem.Forbidden, "The form is not of this sign-in. Load the page again.")
	}
	return nil
}

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// idPattern has no full stop: a full stop could move the limit between the parts of the signed text.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)

// Sign returns the headers webhook-id, webhook-timestamp and webhook-signature of one attempt.
//
// The id names the event and stays the same in every attempt, because receivers use it as an idempotency key. It has 1
// to 255 letters, digits, hyphens and underscores. The time is that of the attempt; it is sent in whole seconds. The
// body must be sent byte for byte. The header has a signature for each secret. While a secret is being replaced, the
// new one comes first and the old one second, so that receivers may know either.
//
// Sign returns an error for any other id, and if a secret is missing.
func Sign(id string, at time.Time, body []byte, secrets ...Secret) (http.Header, error) {
	if !idPattern.MatchString(id) {
		return nil, errors.New("sign a webhook: the id has other characters than letters, digits, - and _, or not 1 to 255 of them")
	}
	if len(secrets) == 0 {
		return nil, errors.New("sign a webhook: there is no secret")
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		if secret.key == nil {
			return nil, errors.New("sign a webhook: a secret is empty")
		}
		mac := hmac.New(sha256.New, []byte(*secret.key))
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", strings.Join(signatures, " "))
	return header, nil
}

package holdfast

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrNotGenuine says that a delivery isn't to be trusted. Answer it with 400.
var ErrNotGenuine = errors.New("the webhook is not genuine")

// Verifier verifies deliveries. The zero value has no secret and verifies none.
type Verifier struct {
	// Secrets are the endpoint's, such as whsec_…: the new and the former one while you rotate them.
	Secrets []string
	// Tolerance is how much the timestamp may differ from the clock; 0 means five minutes.
	Tolerance time.Duration

	now func() time.Time // for tests
}

// Verify returns the event of a delivery whose signature is that of one of the secrets. body is what came, before
// anything parsed it. The error is, or wraps, ErrNotGenuine.
func (v Verifier) Verify(body []byte, headers http.Header) (ReceivedEvent, error) {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return ReceivedEvent{}, fmt.Errorf("%w: its id or its timestamp is missing", ErrNotGenuine)
	}
	now, tolerance := time.Now, v.Tolerance
	if v.now != nil {
		now = v.now
	}
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	if now().Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ReceivedEvent{}, fmt.Errorf("%w: its timestamp is too old or too new", ErrNotGenuine)
	}
	if !v.signed(headers.Get("webhook-signature"), id+"."+timestamp+".", body) {
		return ReceivedEvent{}, fmt.Errorf("%w: no signature is that of a secret", ErrNotGenuine)
	}
	var event ReceivedEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return ReceivedEvent{}, fmt.Errorf("%w: %w", ErrNotGenuine, err)
	}
	return event, nil
}

func (v Verifier) signed(signatures, head string, body []byte) bool {
	for _, secret := range v.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(head))
		mac.Write(body)
		expected := mac.Sum(nil)
		for signature := range strings.SplitSeq(signatures, " ") {
			value, ok := strings.CutPrefix(signature, "v1,")
			given, err := base64.StdEncoding.DecodeString(value)
			if ok && err == nil && hmac.Equal(given, expected) {
				return true
			}
		}
	}
	return false
}

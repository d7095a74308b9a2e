package holdfast

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"testing"
	"time"
)

var (
	secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of these tests"))
	former = "whsec_" + base64.StdEncoding.EncodeToString([]byte("the former secret"))
)

const delivered = `{"id":"0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10","type":"booking.confirmed","sequence":2,"data":{"status":"confirmed"}}`

func signed(by, timestamp, body string) http.Header {
	key, _ := base64.StdEncoding.DecodeString(by[len("whsec_"):])
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("e1." + timestamp + "." + body))
	return http.Header{
		"Webhook-Id": {"e1"}, "Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
}

func verifier(secrets ...string) Verifier {
	return Verifier{Secrets: secrets, now: func() time.Time { return time.Unix(1782892800, 0) }}
}

func TestVerify_GenuineDelivery_IsItsEvent(t *testing.T) {
	t.Parallel()
	event, err := verifier(secret).Verify([]byte(delivered), signed(secret, "1782892800", delivered))
	if err != nil || event.Type != "booking.confirmed" || event.Sequence != 2 {
		t.Fatal(event, err)
	}
	if data, err := DataOf[struct{ Status string }](event); err != nil || data.Status != "confirmed" {
		t.Fatal(data, err)
	}
	if _, err := verifier(secret, former).Verify([]byte(delivered),
		signed(former, "1782892800", delivered)); err != nil {
		t.Fatal(err)
	}
	both := signed(former, "1782892800", delivered)
	both.Set("webhook-signature", "v1a,zzzz "+both.Get("webhook-signature")+" "+signed(secret, "1782892800",
		delivered).Get("webhook-signature"))
	if _, err := verifier(secret).Verify([]byte(delivered), both); err != nil {
		t.Fatal(err)
	}
}

func TestVerify_AnythingElse_IsNotGenuine(t *testing.T) {
	t.Parallel()
	other := signed(secret, "1782892800", delivered)
	other.Set("webhook-id", "e2")
	empty := signed(secret, "1782892800", delivered)
	empty.Set("webhook-signature", "v1,")
	for name, c := range map[string]struct {
		v       Verifier
		body    string
		headers http.Header
	}{
		"another secret":    {verifier(former), delivered, signed(secret, "1782892800", delivered)},
		"no secret":         {verifier(), delivered, signed(secret, "1782892800", delivered)},
		"an empty secret":   {verifier("whsec_"), delivered, signed("whsec_", "1782892800", delivered)},
		"another body":      {verifier(secret), delivered + " ", signed(secret, "1782892800", delivered)},
		"another id":        {verifier(secret), delivered, other},
		"an empty one":      {verifier(secret), delivered, empty},
		"too old":           {verifier(secret), delivered, signed(secret, "1782892499", delivered)},
		"too new":           {verifier(secret), delivered, signed(secret, "1782893101", delivered)},
		"no time":           {verifier(secret), delivered, signed(secret, "x", delivered)},
		"without a header":  {verifier(secret), delivered, http.Header{}},
		"a body that's not": {verifier(secret), "x", signed(secret, "1782892800", "x")},
	} {
		if _, err := c.v.Verify([]byte(c.body), c.headers); !errors.Is(err, ErrNotGenuine) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

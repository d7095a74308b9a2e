package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/payment"
)

// tolerance is the largest difference between a signature's time and now.
const tolerance = 5 * time.Minute

// sign returns the value of the signature header: HMAC-SHA256 over "<unix seconds>.<body>".
func sign(secret string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(mac(secret, seconds, body))
}

func mac(secret, seconds string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + "."))
	h.Write(body)
	return h.Sum(nil)
}

// verify returns payment.ErrSignature unless header signs body with secret within the tolerance of now. Without a
// secret every signature is invalid.
func verify(secret, header string, body []byte, now time.Time) error {
	var seconds, signature string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			seconds = value
		case "v1":
			signature = value
		}
	}
	given, err := hex.DecodeString(signature)
	if err != nil || secret == "" || !hmac.Equal(given, mac(secret, seconds, body)) {
		return payment.ErrSignature
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(unix, 0)).Abs() > tolerance {
		return payment.ErrSignature
	}
	return nil
}

package operator

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// signInTime is for how long a browser stays signed in.
const signInTime = 8 * time.Hour

// maxName bounds the name that the operator gives, in bytes.
const maxName = 100

const (
	expiryBytes = 8
	nonceBytes  = 16
)

// session is a browser in which the operator is signed in.
type session struct {
	Name      string // who it is, as histories and the log name the person
	ExpiresAt time.Time
}

// sessions make and read what a browser keeps: when the sign-in ends, random bytes and the name, signed with a key that
// is derived from the admin key. Nothing is stored, so every server with the same admin key knows a sign-in of any
// other one, and another admin key ends all.
type sessions struct {
	key []byte
	// seal is the secret of what a browser in which nobody is signed in keeps of a refused form; empty without an admin
	// key.
	seal string
}

func newSessions(adminKey string) sessions {
	if adminKey == "" {
		return sessions{key: derived(adminKey, "sign-ins of the operator")}
	}
	return sessions{derived(adminKey, "sign-ins of the operator"),
		string(derived(adminKey, "refused sign-ins of the operator"))}
}

// derived returns a key for one purpose. The admin key can't be found out from it.
func derived(adminKey, purpose string) []byte {
	mac := hmac.New(sha256.New, []byte(adminKey))
	mac.Write([]byte(purpose))
	return mac.Sum(nil)
}

// begin returns the secret of a new sign-in.
func (s sessions) begin(name string, now time.Time) string {
	signed := binary.BigEndian.AppendUint64(nil, uint64(now.Add(signInTime).Unix()))
	nonce := make([]byte, nonceBytes)
	_, _ = rand.Read(nonce) // never fails
	signed = append(append(signed, nonce...), name...)
	return base64.RawURLEncoding.EncodeToString(append(signed, s.sum(signed)...))
}

// read returns the sign-in of a browser's secret, false for one that has ended and for anything else.
func (s sessions) read(secret string, now time.Time) (session, bool) {
	if len(secret) > base64.RawURLEncoding.EncodedLen(expiryBytes+nonceBytes+maxName+sha256.Size) {
		return session{}, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(secret)
	if err != nil || len(b) < expiryBytes+nonceBytes+sha256.Size {
		return session{}, false
	}
	signed, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if !hmac.Equal(sum, s.sum(signed)) {
		return session{}, false
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(signed)), 0)
	return session{Name: string(signed[expiryBytes+nonceBytes:]), ExpiresAt: until}, now.Before(until)
}

func (s sessions) sum(signed []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(signed)
	return mac.Sum(nil)
}

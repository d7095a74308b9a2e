package email

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// Subscription is what a customer can end: all greetings and follow-ups from one tenant.
type Subscription struct {
	TenantID   uuid.UUID
	CustomerID uuid.UUID
}

// ErrToken is returned for a token that the Unsubscriber didn't make.
var ErrToken = errors.New("not an unsubscribe token")

// Unsubscriber makes and reads the tokens of unsubscribe links. A token names its subscription and proves that Holdfast
// made it. It doesn't expire.
type Unsubscriber struct{ key []byte }

// minKey is the least length of a key, in bytes: that of the hash (RFC 2104, section 3).
const minKey = sha256.Size

// NewUnsubscriber returns an Unsubscriber with a secret key of at least 32 bytes. All servers need the same key.
func NewUnsubscriber(key []byte) (*Unsubscriber, error) {
	if len(key) < minKey {
		return nil, errors.New("the key of unsubscribe links has fewer than 32 bytes")
	}
	return &Unsubscriber{key: slices.Clone(key)}, nil
}

var tokenEncoding = base64.RawURLEncoding.Strict()

// Token returns the token of a subscription. It is safe in a URL.
func (u *Unsubscriber) Token(s Subscription) string {
	named := slices.Concat(s.TenantID[:], s.CustomerID[:])
	return tokenEncoding.EncodeToString(append(u.sign(named), named...))
}

// Parse returns the subscription of a token, or ErrToken. The time that it takes doesn't depend on how much of a forged
// signature is right.
func (u *Unsubscriber) Parse(token string) (Subscription, error) {
	const ids = 2 * len(uuid.UUID{})
	b, err := tokenEncoding.DecodeString(token)
	// The decoder skips line breaks, but a token has one spelling.
	if err != nil || len(b) != sha256.Size+ids || tokenEncoding.EncodeToString(b) != token {
		return Subscription{}, ErrToken
	}
	signature, named := b[:sha256.Size], b[sha256.Size:]
	if !hmac.Equal(signature, u.sign(named)) {
		return Subscription{}, ErrToken
	}
	return Subscription{TenantID: uuid.UUID(named[:ids/2]), CustomerID: uuid.UUID(named[ids/2:])}, nil
}

// sign returns the signature of what a token names. The prefix keeps it apart from other uses of the same key.
func (u *Unsubscriber) sign(named []byte) []byte {
	mac := hmac.New(sha256.New, u.key)
	mac.Write([]byte("holdfast/unsubscribe/1\x00"))
	mac.Write(named)
	return mac.Sum(nil)
}

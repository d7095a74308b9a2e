package user

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

const (
	tenantBytes = len(uuid.UUID{})
	randomBytes = 32
)

// secret is what a link or a browser has: the tenant's id, by which the statement that finds it is one of that tenant,
// and 256 random bits.
type secret [tenantBytes + randomBytes]byte

func newSecret(tenant uuid.UUID) (s secret) {
	copy(s[:], tenant[:])
	_, _ = rand.Read(s[tenantBytes:]) // never fails
	return s
}

// parseSecret reads what String returned; false for anything else.
func parseSecret(text string) (s secret, ok bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(len(s)) {
		return s, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != len(s) { // the decoder skips line ends
		return s, false
	}
	return secret(b), true
}

// String returns the secret as it stands in a link or a cookie.
func (s secret) String() string { return base64.RawURLEncoding.EncodeToString(s[:]) }

func (s secret) tenant() uuid.UUID { return uuid.UUID(s[:tenantBytes]) }

// hash is the SHA-256 of a secret.
type hash [sha256.Size]byte

// hash is what is stored. A plain SHA-256 is enough for 256 random bits: there is nothing to guess.
func (s secret) hash() hash { return sha256.Sum256(s[:]) }

// TenantOf returns the tenant that the secret of a link or a browser names, whether or not it is valid; false for
// another text. It asks no database.
func TenantOf(text string) (uuid.UUID, bool) {
	s, ok := parseSecret(text)
	return s.tenant(), ok
}

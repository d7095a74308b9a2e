package tenant

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// An API key reads hf_{tenant}{prefix}_{secret}: the tenant's id in base32, eight characters that find the key
// among the tenant's, and 256 random bits. The tenant stands in the key so that looking it up is a statement
// of one tenant like any other.
const (
	keyStart     = "hf_"
	tenantChars  = 26 // 128 bits in base32
	prefixChars  = 8
	secretBytes  = 32
	secretChars  = 43 // 256 bits in base64 without padding
	apiKeyLength = len(keyStart) + tenantChars + prefixChars + 1 + secretChars
)

var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// apiKey is a key as its holder has it.
type apiKey struct {
	tenant uuid.UUID
	prefix string
	text   string
}

func newAPIKey(tenant uuid.UUID) apiKey {
	prefix := rand.Text()[:prefixChars]
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return apiKey{
		tenant: tenant,
		prefix: prefix,
		text: keyStart + idEncoding.EncodeToString(tenant[:]) + prefix + "_" +
			base64.RawURLEncoding.EncodeToString(secret[:]),
	}
}

func parseAPIKey(text string) (apiKey, bool) {
	if len(text) != apiKeyLength || !strings.HasPrefix(text, keyStart) {
		return apiKey{}, false
	}
	rest := text[len(keyStart):]
	id, err := idEncoding.DecodeString(rest[:tenantChars])
	// The decoder skips line ends, so that what it returns may be too short for an id.
	if err != nil || len(id) != len(uuid.UUID{}) || rest[tenantChars+prefixChars] != '_' {
		return apiKey{}, false
	}
	prefix := rest[tenantChars : tenantChars+prefixChars]
	for _, c := range []byte(prefix) {
		if c < '2' || c > 'Z' || c > '7' && c < 'A' { // the alphabet of rand.Text
			return apiKey{}, false
		}
	}
	return apiKey{tenant: uuid.UUID(id), prefix: prefix, text: text}, true
}

// hash is what is stored of a key. A plain SHA-256 is enough for 256 random bits: there is nothing to guess.
func (k apiKey) hash() [sha256.Size]byte { return sha256.Sum256([]byte(k.text)) }

// OfKey returns the tenant that an API key names, whether or not the key is valid; false for a text that no API key
// has. It asks no database.
func OfKey(text string) (uuid.UUID, bool) {
	k, ok := parseAPIKey(text)
	return k.tenant, ok
}

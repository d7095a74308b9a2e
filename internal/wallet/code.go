package wallet

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"strings"
)

// A code is 20 characters of Crockford's base32, in groups of four: 100 random bits. The first eight find the wallet,
// the other twelve can't be guessed. It is stored as a hash only.
const (
	codeChars   = 20
	prefixChars = 8
)

var codeEncoding = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// code is a code without hyphens.
type code string

func newCode() code {
	var random [(codeChars*5 + 7) / 8]byte
	_, _ = rand.Read(random[:]) // never fails
	return code(codeEncoding.EncodeToString(random[:])[:codeChars])
}

// parseCode reads a code as people write it: in small letters, with spaces, hyphens or without, O for 0, I and L for 1.
func parseCode(text string) (code, bool) {
	text = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(text))
	if len(text) != codeChars {
		return "", false
	}
	_, err := codeEncoding.DecodeString(text + "0000") // 24 characters are whole bytes
	return code(text), err == nil
}

// String returns the code in groups of four.
func (c code) String() string {
	groups := make([]string, 0, codeChars/4)
	for i := 0; i < len(c); i += 4 {
		groups = append(groups, string(c[i:i+4]))
	}
	return strings.Join(groups, "-")
}

func (c code) prefix() string { return string(c[:prefixChars]) }

// hash is what is stored of a code. A plain SHA-256 is enough for 60 random bits beyond the prefix, of which guesses
// are limited.
func (c code) hash() []byte {
	sum := sha256.Sum256([]byte(c))
	return sum[:]
}

// matches compares a code with a stored hash, in a time that doesn't depend on either.
func (c code) matches(hash []byte) bool { return subtle.ConstantTimeCompare(c.hash(), hash) == 1 }

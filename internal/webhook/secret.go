package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

const (
	secretPrefix = "whsec_"
	// The specification permits 24 to 64 bytes.
	minSecretBytes = 24
	newSecretBytes = 32
	maxSecretBytes = 64

	redacted = "[redacted]"
)

// Secret is the key that signs an endpoint's webhooks. The zero value is no secret and can't sign. fmt and log/slog
// print "[redacted]"; only [Secret.Reveal] returns the text.
type Secret struct {
	// key holds the bytes. fmt prints a struct's unexported fields without calling Format, and a pointer to a string as
	// an address.
	key *string
}

// NewSecret returns a random secret of 32 bytes.
func NewSecret() Secret {
	key := make([]byte, newSecretBytes)
	_, _ = rand.Read(key) // crypto/rand documents that it never fails
	return secretOf(key)
}

func secretOf(key []byte) Secret {
	text := string(key)
	return Secret{key: &text}
}

// ParseSecret reads what [Secret.Reveal] returns: "whsec_" and 24 to 64 bytes in base64. Its errors don't repeat the
// text.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return Secret{}, errors.New("a webhook secret begins with " + secretPrefix)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	// Decoding ignores line breaks and unused bits.
	if err != nil || base64.StdEncoding.EncodeToString(key) != encoded {
		return Secret{}, errors.New("the webhook secret is not base64")
	}
	if len(key) < minSecretBytes || len(key) > maxSecretBytes {
		return Secret{}, fmt.Errorf("a webhook secret has %d to %d bytes, not %d", minSecretBytes, maxSecretBytes,
			len(key))
	}
	return secretOf(key), nil
}

// Reveal returns the secret as text: to store it, and to show it to its owner. It is empty for the zero value.
func (s Secret) Reveal() string {
	if s.key == nil {
		return ""
	}
	return secretPrefix + base64.StdEncoding.EncodeToString([]byte(*s.key))
}

// Format prints "[redacted]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue logs "[redacted]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

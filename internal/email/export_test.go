package email

import "crypto/x509"

// Trust makes the sender trust the certificates of a test's own authority, and no others.
func (s *SMTP) Trust(roots *x509.CertPool) { s.roots = roots }

// Bytes returns the email as it is sent.
func (m Message) Bytes() ([]byte, error) {
	e, err := m.encode()
	return e.data, err
}

// MaxOutput bounds a rendered part, in bytes.
const MaxOutput = maxOutput

package email

import (
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"holdfast/internal/problem"
)

const (
	// maxAddress is the longest path that SMTP allows, in bytes (RFC 5321, section 4.5.3.1.3, less the angle brackets).
	maxAddress = 254
	// maxLocal is the longest part before the @, in bytes (RFC 5321, section 4.5.3.1.1), and maxLabel that of a part of
	// the domain (RFC 1035, section 2.3.4).
	maxLocal = 64
	maxLabel = 63
	// maxName bounds the displayed name of a mailbox, in characters.
	maxName = 200
)

// Address is a mailbox. Name may be empty. Email may have letters outside ASCII, also in its domain.
type Address struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email"`
}

// Check returns problem.ValidationFailed about the named field for an address that no email can be sent to or from.
func (a Address) Check(field string) error {
	if _, ok := a.mailbox(); !ok {
		return problem.Invalid(field, "invalid_format", "Expected an email address.")
	}
	return nil
}

// mailbox returns the address as it stands in a header: the domain in ASCII (RFC 5890), the name on one line.
// It reports false for an address that isn't one.
func (a Address) mailbox() (*mail.Address, bool) {
	parsed, err := mail.ParseAddress(a.Email)
	if err != nil || parsed.Address != a.Email || strings.ContainsFunc(a.Email, unicode.IsControl) ||
		!utf8.ValidString(a.Email) {
		return nil, false
	}
	at := strings.LastIndexByte(a.Email, '@')
	local, domain := a.Email[:at], a.Email[at+1:]
	if !isASCII(domain) {
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return nil, false
		}
	}
	email := local + "@" + domain
	tooLong := func(label string) bool { return len(label) > maxLabel }
	if len(email) > maxAddress || len(local) > maxLocal || slices.ContainsFunc(strings.Split(domain, "."), tooLong) {
		return nil, false
	}
	if strings.HasPrefix(domain, "[") { // an address of a host, which may be one of the mail server's own network
		return nil, false
	}
	// net/mail writes a backslash beside letters outside ASCII in a way that it can't read itself.
	name := oneLine(strings.ReplaceAll(a.Name, `\`, ""))
	return &mail.Address{Name: truncate(name, maxName), Address: email}, true
}

// oneLine returns text for a header: valid UTF-8 without control characters, each run of white space as one space.
// A text that looks like an encoded word (RFC 2047) is broken up, so that a mail program shows it as it was written.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "=?", "= ?")
}

// truncate returns the first limit characters of text.
func truncate(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit])
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

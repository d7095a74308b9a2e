package email_test

import (
	"net/mail"
	"net/url"
	"strings"
	"testing"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

// TestInvitation_AnyAddress_IsAMailtoURIThatReadsBack also reads the lines as they are: the library that writes them
// reads its own mistakes back.
func TestInvitation_AnyAddress_IsAMailtoURIThatReadsBack(t *testing.T) {
	t.Parallel()
	for address, uri := range map[string]string{
		"john.o'shean@example.com":                 "mailto:john.o'shean@example.com",
		"a&b=c@example.com":                        "mailto:a%26b%3Dc@example.com",
		"100%25off?#!$*+/^_`{|}~@customer.example": "mailto:100%2525off%3F%23!$*+%2F%5E_%60%7B%7C%7D~@customer.example",
		"grüße@customer.example":                   "mailto:gr%C3%BC%C3%9Fe@customer.example",
		strings.Repeat("a", 64) + "@" + strings.Repeat("b", 60) + ".example": "mailto:" + strings.Repeat("a", 64) +
			"@" +
			strings.Repeat("b", 60) + ".example",
	} {
		m := message()
		m.To.Email = address
		_, event, text := calendar(t, m)
		require.Equal(t, uri, property(t, event, ics.ComponentPropertyAttendee).Value)
		require.Contains(t, strings.ReplaceAll(text, "\r\n ", ""), ":"+uri+"\r\n")
		parsed, err := url.Parse(uri)
		require.NoError(t, err)
		decoded, err := url.PathUnescape(parsed.Opaque)
		require.NoError(t, err)
		require.Equal(t, address, decoded)
		_, err = mail.ParseAddress(decoded)
		require.NoError(t, err)
	}
}

// RFC 5545, section 3.2: a parameter knows no backslash.
func TestInvitation_NameWithPunctuation_IsWrittenWithoutBackslashes(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]string{
		"John O'Shean":          ";CN=John O’Shean;",
		`Miller, "Bob": Jr.; 1`: ";CN=Miller ’Bob’ Jr. 1;",
		"":                      "ATTENDEE;PARTSTAT=",
		"';:,":                  ";CN=’;",
	} {
		m := message()
		m.To = email.Address{Name: name, Email: "john@example.com"}
		_, _, text := calendar(t, m)
		text = strings.ReplaceAll(text, "\r\n ", "")
		at := strings.Index(text, "ATTENDEE")
		line := text[at : at+strings.Index(text[at:], "\r\n")]
		require.Contains(t, line, written)
		require.NotContains(t, line, `\`)
	}
}

package email_test

import (
	"bytes"
	"net/mail"
	"strings"
	"testing"
	"time"
	"unicode"

	"holdfast/internal/problem/problemtest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/email"
)

func TestMessage_WithEverything_IsReadBackByTheStandardLibrary(t *testing.T) {
	t.Parallel()
	m := message()
	data, err := m.Bytes()
	require.NoError(t, err)
	header, found := parts(t, data)

	from, err := header.AddressList("From")
	require.NoError(t, err)
	require.Equal(t, []*mail.Address{{Name: m.From.Name, Address: m.From.Email}}, from)
	to, err := header.AddressList("To")
	require.NoError(t, err)
	require.Equal(t, []*mail.Address{{Name: m.To.Name, Address: m.To.Email}}, to)
	require.Equal(t, m.Subject, decodeHeader(t, header.Get("Subject")))
	require.Equal(t, "<0198c0de-7a11-7000-8000-000000000001@harbour.example>", header.Get("Message-Id"))
	date, err := header.Date()
	require.NoError(t, err)
	require.True(t, date.Equal(m.Date))
	require.Equal(t, "auto-generated", header.Get("Auto-Submitted"))
	require.Equal(t, "<https://book.example/unsubscribe/abc>", header.Get("List-Unsubscribe"))
	require.Equal(t, "List-Unsubscribe=One-Click", header.Get("List-Unsubscribe-Post"))

	require.Len(t, found, 4)
	for i, mediaType := range []string{"text/plain", "text/html", "text/calendar", "application/ics"} {
		require.Equal(t, mediaType, found[i].mediaType)
	}
	require.Equal(t, m.Text, strings.ReplaceAll(found[0].text, "\r\n", "\n"))
	require.Equal(t, m.HTML, found[1].text)
	for _, p := range found[:3] {
		require.Equal(t, "UTF-8", p.params["charset"])
	}
	require.Equal(t, "REQUEST", found[2].params["method"])
	require.Equal(t, "invite.ics", found[3].file)
	require.Equal(t, found[2].text, found[3].text, "the two copies of the calendar entry differ")
}

func TestMessage_PlainTextOnly_HasOnePart(t *testing.T) {
	t.Parallel()
	m := message()
	m.HTML, m.Unsubscribe, m.Invitation = "", "", nil
	data, err := m.Bytes()
	require.NoError(t, err)
	header, found := parts(t, data)
	require.Len(t, found, 1)
	require.Empty(t, header.Get("List-Unsubscribe"))
	require.Empty(t, header.Get("Reply-To"))
}

func TestMessage_LongSubject_IsCut(t *testing.T) {
	t.Parallel()
	m := message()
	m.Subject = strings.Repeat("é", 1000)
	data, err := m.Bytes()
	require.NoError(t, err)
	header, _ := parts(t, data)
	require.Equal(t, strings.Repeat("é", 250), decodeHeader(t, header.Get("Subject")))
}

func TestMessage_DomainOutsideASCII_IsEncoded(t *testing.T) {
	t.Parallel()
	m := message()
	m.From.Email = "büro@bücher.example"
	data, err := m.Bytes()
	require.NoError(t, err)
	header, _ := parts(t, data)
	from, err := header.AddressList("From")
	require.NoError(t, err)
	require.Equal(t, "büro@xn--bcher-kva.example", from[0].Address)
	require.True(t, strings.HasSuffix(header.Get("Message-Id"), "@xn--bcher-kva.example>"))
}

func TestMessage_Malformed_IsPermanent(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*email.Message){
		"no id":                  func(m *email.Message) { m.ID = uuid.Nil },
		"no date":                func(m *email.Message) { m.Date = time.Time{} },
		"no booking":             func(m *email.Message) { m.Invitation.BookingID = uuid.Nil },
		"no sender":              func(m *email.Message) { m.From = email.Address{} },
		"no recipient":           func(m *email.Message) { m.To = email.Address{} },
		"line break":             func(m *email.Message) { m.To.Email = "a@b.example\r\nBcc: c@d.example" },
		"NUL":                    func(m *email.Message) { m.To.Email = "a\x00@b.example" },
		"two recipients":         func(m *email.Message) { m.To.Email = "a@b.example, c@d.example" },
		"name in the address":    func(m *email.Message) { m.To.Email = "A <a@b.example>" },
		"too long":               func(m *email.Message) { m.To.Email = strings.Repeat("a", 250) + "@b.example" },
		"bad domain":             func(m *email.Message) { m.To.Email = "a@ü_ü.example" },
		"http link":              func(m *email.Message) { m.Unsubscribe = "http://book.example/u" },
		"link with a line break": func(m *email.Message) { m.Unsubscribe = "https://book.example/u\r\nBcc: c@d.example" },
		"link that ends early":   func(m *email.Message) { m.Unsubscribe = "https://book.example/u>,<mailto:c@d.example" },
		"long link": func(m *email.Message) {
			m.Unsubscribe = "https://book.example/" + strings.Repeat("u",
				1000)
		},
		"ends before it starts": func(m *email.Message) { m.Invitation.Ends = m.Invitation.Starts.Add(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message()
			damage(&m)
			_, err := m.Bytes()
			requirePermanent(t, err, 0)
		})
	}
}

func TestAddressCheck_NamesTheField(t *testing.T) {
	t.Parallel()
	require.NoError(t, email.Address{Email: "office@harbour.example"}.Check("email.from"))
	err := email.Address{Email: "office"}.Check("email.from")
	problemtest.RequireField(t, err, "email.from", "invalid_format")
}

// hostile draws texts that would end a header, a parameter, a quoted string or an encoded word.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\r\nBcc: x@y.example", "\nBcc: x@y.example\n\n", "\r", "\x00", "\u0085", "\u2028", "\xff", `"`, `\`, `\é`,
			"<", ">", "@", ",",
			";", ":", "  ",
			"\t", "=?utf-8?q?=0D=0ABcc:_x@y.example?=", "\r\n ", "--", "END:VEVENT", "\r\nATTENDEE:mailto:x@y.example",
			strings.Repeat("a", 2000), strings.Repeat("長", 2000), strings.Repeat("ö ", 200),
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"),
			"")
	})
}

func TestMessage_HostileTexts_AddNoHeaderAndNoCalendarProperty(t *testing.T) {
	t.Parallel()
	plain, err := message().Bytes()
	require.NoError(t, err)
	header, found := parts(t, plain)
	wanted, entry := len(header), propertyNames(t, found[3].text)
	rapid.Check(t, func(t *rapid.T) {
		m := message()
		m.From.Name, m.To.Name, m.Subject = hostile().Draw(t, "from"), hostile().Draw(t, "to"),
			hostile().Draw(t, "subject")
		m.Text, m.HTML = hostile().Draw(t, "text"), "<p>"+hostile().Draw(t, "html")
		m.Invitation.Summary = hostile().Draw(t, "summary")
		m.Invitation.Description = "x" + hostile().Draw(t, "description")
		data, err := m.Bytes()
		require.NoError(t, err)

		header, found := parts(t, data)
		require.Len(t, header, wanted)
		require.Len(t, found, 4)
		require.Equal(t, entry, propertyNames(t, found[3].text))
		for _, name := range []string{"From", "To"} {
			addresses, err := header.AddressList(name)
			require.NoError(t, err)
			require.Len(t, addresses, 1)
			require.False(t, strings.ContainsFunc(addresses[0].Name, unicode.IsControl))
		}
		require.False(t, strings.ContainsFunc(decodeHeader(t, header.Get("Subject")), unicode.IsControl))
		for line := range bytes.Lines(data) {
			require.True(t, bytes.HasSuffix(line, []byte("\r\n")) && bytes.Count(line, []byte("\r")) == 1,
				"a line break is broken: %q",
				line)
			require.LessOrEqual(t, len(line), 1000)
		}
	})
}

func TestMessage_HostileAddress_IsRefusedOrStaysOneAddress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := message()
		m.To.Email = hostile().Draw(t, "local") + "@" + rapid.OneOf(rapid.Just("b.example"), hostile()).Draw(t,
			"domain")
		data, err := m.Bytes()
		if err != nil {
			return
		}
		header, _ := parts(t, data)
		require.Empty(t, header.Get("Bcc"))
		to, err := header.AddressList("To")
		require.NoError(t, err)
		require.Len(t, to, 1)
	})
}

func TestMessage_RepliesToTheTenant_OrganizerIsTheTenantToo(t *testing.T) {
	t.Parallel()
	m := message()
	m.ReplyTo = &email.Address{Name: "Café am Meer", Email: "office@harbour.example"}
	m.From = email.Address{Email: "mail@platform.example"}
	m.Invitation.Place, m.Invitation.URL = "Pier 7\nHamburg; Süd", "https://book.example/booking/abc"
	data, err := m.Bytes()
	require.NoError(t, err)
	header, found := parts(t, data)
	replyTo, err := header.AddressList("Reply-To")
	require.NoError(t, err)
	require.Equal(t, []*mail.Address{{Name: "Café am Meer", Address: "office@harbour.example"}}, replyTo)
	require.Equal(t, "<mail@platform.example>", header.Get("From"))
	require.Contains(t, found[2].text, "ORGANIZER;CN=Café am Meer:mailto:office@harbour.example\r\n")
	require.Contains(t, found[2].text, `LOCATION:Pier 7\, Hamburg\; Süd`+"\r\n")
	require.Contains(t, found[2].text, "URL:https://book.example/booking/abc\r\n")
	m.ReplyTo.Email = "no address"
	_, err = m.Bytes()
	require.Error(t, err)
}

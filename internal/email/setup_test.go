package email_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

// message returns an email that has everything.
func message() email.Message {
	starts := time.Date(2027, time.June, 12, 12, 0, 0, 0, time.UTC)
	return email.Message{
		ID:          uuid.MustParse("0198c0de-7a11-7000-8000-000000000001"),
		Date:        time.Date(2027, time.May, 1, 9, 30, 0, 0, time.UTC),
		From:        email.Address{Name: "Café am Meer", Email: "office@harbour.example"},
		To:          email.Address{Name: "Łukasz \"Lu\" O'Brien, Jr.", Email: "lukasz@customer.example"},
		Subject:     "Bestätigt: Bootsfahrt",
		Text:        "Grüße\n.\nEnde\n",
		HTML:        "<p>Grüße</p>",
		Unsubscribe: "https://book.example/unsubscribe/abc",
		Invitation: &email.Invitation{
			BookingID: uuid.MustParse("0198c0de-7a11-7000-8000-0000000000b0"), Version: 3, Starts: starts,
			Ends:    starts.Add(2 * time.Hour),
			Summary: "Bootsfahrt; groß, 4 Personen", Description: "Zeile 1\nZeile 2 \\ Ende",
		},
	}
}

// part is a part of a received email.
type part struct {
	mediaType string
	params    map[string]string
	file      string
	text      string
}

// parts returns the header and the leaf parts of an email, decoded by the standard library.
func parts(t require.TestingT, data []byte) (mail.Header, []part) {
	parsed, err := mail.ReadMessage(bytes.NewReader(data))
	require.NoError(t, err)
	return parsed.Header, leaves(t, parsed.Header.Get, parsed.Body)
}

func leaves(t require.TestingT, header func(string) string, body io.Reader) []part {
	mediaType, params, err := mime.ParseMediaType(header("Content-Type"))
	require.NoError(t, err)
	if strings.HasPrefix(mediaType, "multipart/") {
		var found []part
		reader := multipart.NewReader(body, params["boundary"])
		for {
			p, err := reader.NextRawPart()
			if err == io.EOF {
				return found
			}
			require.NoError(t, err)
			found = append(found, leaves(t, p.Header.Get, p)...)
		}
	}
	switch encoding := header("Content-Transfer-Encoding"); encoding {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		require.Fail(t, "unexpected encoding", encoding)
	}
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	_, disposition, _ := mime.ParseMediaType(header("Content-Disposition"))
	return []part{{mediaType: mediaType, params: params, file: disposition["filename"], text: string(text)}}
}

func decodeHeader(t require.TestingT, value string) string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(value)
	require.NoError(t, err)
	return decoded
}

// requirePermanent asserts that an error must not be retried, and that it has the code of the server's reply.
func requirePermanent(t *testing.T, err error, code int) {
	t.Helper()
	var refused *email.PermanentError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, code, refused.Code)
}

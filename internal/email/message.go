package email

import (
	"bytes"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
)

const (
	// maxSubject bounds a subject, in characters.
	maxSubject = 250
	// maxLink bounds an unsubscribe link, in bytes: a header line has at most 998 (RFC 5322, section 2.1.1).
	maxLink = 900
)

// Message is an email to one recipient.
type Message struct {
	// ID is the id of the email's own event. The Message-ID is made from it, so that an email that was sent
	// twice can be recognized.
	ID uuid.UUID
	// Date is when the email was made.
	Date time.Time

	From Address
	To   Address
	// ReplyTo is where replies go, and the organizer of the calendar entry; nil for From.
	ReplyTo *Address

	// Subject is cut to 250 characters. Line breaks in it become spaces.
	Subject string
	Text    string
	// HTML is the same as Text, for mail programs that show HTML. It may be empty.
	HTML string

	// Unsubscribe is the https link that ends greetings and follow-ups. The link answers a POST (RFC 8058). It may be
	// empty.
	Unsubscribe string
	// Invitation is the calendar entry that comes with the email. It may be nil.
	Invitation *Invitation
}

// encoded is an email as it is sent.
type encoded struct {
	from, to string // the addresses of the envelope
	utf8     bool   // one of the addresses needs the extension SMTPUTF8 (RFC 6531)
	data     []byte
}

// encode makes the email's bytes. It returns a *PermanentError for an email that can't be made.
//
// No text of the message can add a header: names and subjects become one line, and addresses and links that have
// control characters are refused.
func (m Message) encode() (encoded, error) {
	if m.ID == uuid.Nil || m.Date.IsZero() {
		return encoded{}, &PermanentError{Err: errors.New("the email has no id or no date")}
	}
	from, ok := m.From.mailbox()
	if !ok {
		return encoded{}, &PermanentError{Err: errors.New("the sender's address is not valid")}
	}
	to, ok := m.To.mailbox()
	if !ok {
		return encoded{}, &PermanentError{Err: errors.New("the recipient's address is not valid")}
	}
	organizer := from
	if m.ReplyTo != nil {
		if organizer, ok = m.ReplyTo.mailbox(); !ok {
			return encoded{}, &PermanentError{Err: errors.New("the address for replies is not valid")}
		}
	}
	e := encoded{from: from.Address, to: to.Address, utf8: !isASCII(from.Address + to.Address + organizer.Address)}

	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	domain := from.Address[strings.LastIndexByte(from.Address, '@'):]
	msg.SetMessageIDWithValue(m.ID.String() + domain)
	msg.SetDateWithValue(m.Date)
	msg.FromMailAddress(from)
	msg.ToMailAddress(to)
	if m.ReplyTo != nil {
		msg.ReplyToMailAddress(organizer)
	}
	msg.Subject(truncate(oneLine(m.Subject), maxSubject))
	// Auto-Submitted keeps out-of-office programs from replying (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if err := m.addUnsubscribe(msg); err != nil {
		return encoded{}, err
	}
	if err := m.addBody(msg, organizer, to); err != nil {
		return encoded{}, err
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return encoded{}, &PermanentError{Err: fmt.Errorf("write the email: %w", err)}
	}
	e.data = b.Bytes()
	return e, nil
}

func (m Message) addUnsubscribe(msg *gomail.Msg) error {
	if m.Unsubscribe == "" {
		return nil
	}
	// The header puts the link in angle brackets and separates links by commas.
	fits := len(m.Unsubscribe) <= maxLink && isASCII(m.Unsubscribe) && !strings.ContainsAny(m.Unsubscribe, "<>, ")
	if !fits || msg.SetListUnsubscribeOneClick(m.Unsubscribe) != nil {
		// The library's error has the link, and the link has a token.
		return &PermanentError{Err: errors.New("the unsubscribe link is not a short https URL")}
	}
	return nil
}

// addBody adds the parts. The calendar entry comes twice: as an alternative, where Gmail and Outlook look for it, and
// as a file, for programs that only show files. RFC 6047, section 2.4, asks for the method in the alternative's type.
// Google Calendar and nodemailer build their emails in the same way, down to the file's name and type.
func (m Message) addBody(msg *gomail.Msg, organizer, to *mail.Address) error {
	msg.SetBodyString(gomail.TypeTextPlain, newlines(m.Text))
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, newlines(m.HTML))
	}
	if m.Invitation == nil {
		return nil
	}
	calendar, err := m.Invitation.encode(organizer, to, m.Date)
	if err != nil {
		return &PermanentError{Err: fmt.Errorf("make the calendar entry: %w", err)}
	}
	msg.AddAlternativeString(gomail.ContentType("text/calendar; method="+m.Invitation.method()), string(calendar))
	if err := msg.AttachReader("invite.ics", bytes.NewReader(calendar),
		gomail.WithFileContentType("application/ics")); err != nil {
		return &PermanentError{Err: fmt.Errorf("attach the calendar entry: %w", err)}
	}
	return nil
}

// newlines returns text as valid UTF-8 with LF line breaks and no other control characters but tabs.
func newlines(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, ""))
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

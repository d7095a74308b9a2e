package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// mailServer is a real SMTP server that keeps what it takes.
type mailServer struct {
	url string
	// beforeReply, if it is set, is called with an email that the server has taken, before it says so.
	beforeReply func(receivedMail)

	mu    sync.Mutex
	mails []receivedMail
}

// receivedMail is an email that a server took: its envelope and itself.
type receivedMail struct {
	from, to string
	mailFile
}

// startMailServer starts a server on a free port of 127.0.0.1. It ends with the test.
func startMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := new(mailServer)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session,
		error) {
		return &mailSession{t: t, server: m}, nil
	}))
	server.Domain = "mail.test"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m.url = "smtp://" + listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-served)
	})
	return m
}

// to returns the emails that a recipient got, in the order of their arrival.
func (m *mailServer) to(recipient string) []receivedMail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.mails), func(r receivedMail) bool { return r.to != recipient })
}

// await waits until a recipient has got n emails, and returns them.
func (m *mailServer) await(t testing.TB, recipient string, n int) []receivedMail {
	t.Helper()
	require.Eventually(t, func() bool { return len(m.to(recipient)) >= n }, waitLimit, poll, "%s gets %d emails",
		recipient, n)
	return m.to(recipient)
}

type mailSession struct {
	t      *testing.T
	server *mailServer
	mail   receivedMail
}

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error { s.mail.from = from; return nil }
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error   { s.mail.to = to; return nil }
func (s *mailSession) Reset()                                      {}
func (s *mailSession) Logout() error                               { return nil }

func (s *mailSession) Data(r io.Reader) (err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.mail.mailFile, err = readMail(data); err != nil {
		s.t.Errorf("an email can't be read: %v\n%s", err, data)
		return err
	}
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, s.mail)
	s.server.mu.Unlock()
	if s.server.beforeReply != nil {
		s.server.beforeReply(s.mail)
	}
	return nil
}

// mailFile is an email as a mail program reads it.
type mailFile struct {
	header mail.Header
	// parts holds the decoded parts by their media type.
	parts map[string]string
	// method is the method of the calendar entry, as the media type of its part says it.
	method string
}

func readMail(data []byte) (mailFile, error) {
	message, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return mailFile{}, err
	}
	f := mailFile{header: message.Header, parts: make(map[string]string)}
	err = f.read(message.Header.Get, message.Body)
	return f, err
}

// read reads a part and the parts in it.
func (f *mailFile) read(header func(string) string, body io.Reader) error {
	mediaType, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(mediaType, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = f.read(part.Header.Get, part)
			}
			if err != nil {
				return err
			}
		}
	}
	switch header("Content-Transfer-Encoding") {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	f.parts[mediaType] = strings.ReplaceAll(string(text), "\r\n", "\n")
	if mediaType == "text/calendar" {
		f.method = params["method"]
	}
	return err
}

// addresses returns the addresses of a header.
func (f *mailFile) addresses(t testing.TB, name string) []*mail.Address {
	t.Helper()
	list, err := f.header.AddressList(name)
	require.NoError(t, err)
	return list
}

// subject returns the decoded subject.
func (f *mailFile) subject(t testing.TB) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(f.header.Get("Subject"))
	require.NoError(t, err)
	return text
}

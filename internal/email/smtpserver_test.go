package email_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/testtime"
)

// received is an email that a server took.
type received struct {
	from, to string
	utf8     bool
	user     string
	tls      bool
	data     []byte
}

// mailServer is a real SMTP server with the faults that a test gives it.
type mailServer struct {
	*gosmtp.Server
	address string
	fault   func(step string, c *gosmtp.Conn) error
	user    string // "" wants no authentication
	secret  string
	// implicitTLS is for a server that speaks TLS from the start.
	implicitTLS *tls.Config

	mu    sync.Mutex
	mails []received
}

// startServer starts a server on a free port of 127.0.0.1 that ends with the test.
func startServer(t *testing.T, configure func(*mailServer)) *mailServer {
	t.Helper()
	s := &mailServer{fault: func(string, *gosmtp.Conn) error { return nil }}
	s.Server = gosmtp.NewServer(gosmtp.BackendFunc(func(c *gosmtp.Conn) (gosmtp.Session, error) {
		_, encrypted := c.TLSConnectionState()
		return &session{server: s, conn: c, mail: received{tls: encrypted}}, s.fault("hello", c)
	}))
	s.Domain, s.AllowInsecureAuth, s.EnableSMTPUTF8 = "mail.test", true, true
	s.ErrorLog = silent{}
	configure(s)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = listener.Addr().String()
	if s.implicitTLS != nil {
		listener = tls.NewListener(listener, s.implicitTLS)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s
}

// only returns the one email that the server took.
func (s *mailServer) only(t *testing.T) received {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Len(t, s.mails, 1)
	return s.mails[0]
}

func (s *mailServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mails)
}

// silent is the log of a server whose clients misbehave on purpose.
type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

type session struct {
	server *mailServer
	conn   *gosmtp.Conn
	mail   received
}

func (s *session) AuthMechanisms() []string {
	if s.server.user == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.user || password != s.server.secret {
			// Some servers repeat what they were sent.
			return &gosmtp.SMTPError{Code: 535, EnhancedCode: gosmtp.EnhancedCode{5, 7, 8},
				Message: "bad password " + password}
		}
		s.mail.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, options *gosmtp.MailOptions) error {
	s.mail.from, s.mail.utf8 = from, options.UTF8
	if s.server.user != "" && s.mail.user == "" {
		return gosmtp.ErrAuthRequired
	}
	return s.server.fault("mail", s.conn)
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.mail.to = to
	return s.server.fault("rcpt", s.conn)
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.data = data
	if err := s.server.fault("content", s.conn); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// certificate returns a certificate for 127.0.0.1 and the authority that vouches for it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             testtime.Now().Add(-time.Hour),
		NotAfter:              testtime.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// scriptedServer answers each command with the reply that is given for it, or with the usual one. It returns its
// address. The commands are those of SMTP; "greeting" and "content" name the replies at the start and to the email.
func scriptedServer(t *testing.T, replies map[string]string) string {
	t.Helper()
	usual := map[string]string{
		"greeting": "220 mail.test", "EHLO": "250 mail.test", "HELO": "250 mail.test", "MAIL": "250 ok",
		"RCPT":    "250 ok",
		"DATA":    "354 go on",
		"content": "250 ok", "RSET": "250 ok", "NOOP": "250 ok", "QUIT": "221 bye",
	}
	return listen(t, func(conn net.Conn) {
		reply := func(command string) error {
			text, found := replies[command]
			if !found {
				text = usual[command]
			}
			if text == "cut" {
				return errors.Join(errors.New("cut"), conn.Close())
			}
			_, err := fmt.Fprintf(conn, "%s\r\n", text)
			return err
		}
		lines, inData := bufio.NewScanner(conn), false
		err := reply("greeting")
		for err == nil && lines.Scan() {
			command, _, _ := strings.Cut(lines.Text(), " ")
			switch {
			case inData && command != ".":
			case inData:
				inData, err = false, reply("content")
			default:
				err = reply(command)
				inData = command == "DATA" && replies[command] == ""
			}
		}
	})
}

// listen serves each connection to a free port of 127.0.0.1 until the test ends. It returns the address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				serve(conn)
				_ = conn.Close() // the client may have closed it first
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		serving.Wait()
	})
	return listener.Addr().String()
}

func open(t *testing.T, url string) *email.SMTP {
	t.Helper()
	s, err := email.OpenSMTP(url)
	require.NoError(t, err)
	return s
}

package email

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// defaultTimeout bounds the sending of one email.
const defaultTimeout = 30 * time.Second

// maxTimeout leaves the attempt at a scheduled event, which lasts a minute, time to be recorded as failed.
const maxTimeout = 50 * time.Second

// encryption is how a connection to the mail server is made secret.
type encryption int

const (
	startTLS encryption = iota // TLS begins after a command, and must
	implicitTLS
	noTLS
)

// SMTP is a Sender that hands emails to a mail server. Each email has a connection of its own.
type SMTP struct {
	host       string
	port       int
	user       string
	password   string
	encryption encryption
	timeout    time.Duration
	roots      *x509.CertPool // nil means those of the system
}

// OpenSMTP returns a Sender for a mail server's URL. It doesn't connect.
//
//   - smtp://user:password@host:587 begins TLS with STARTTLS and sends nothing before. Without a port it is 587.
//   - smtps://user:password@host:465 speaks TLS from the start. Without a port it is 465.
//   - smtp://host:25?tls=none sends in clear, and so does a host of this machine unless tls=starttls asks otherwise. A
//     password is sent in clear to this machine only.
//   - timeout=10s bounds the sending of one email, instead of 30 seconds. It is at most 50 seconds.
//
// Errors don't repeat the URL, because it has the password.
func OpenSMTP(address string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error has the URL.
		return nil, errors.New("the mail server's URL can't be read; expected smtp://user:password@host:port")
	}
	s := &SMTP{host: u.Hostname(), user: u.User.Username(), timeout: defaultTimeout}
	s.password, _ = u.User.Password()
	query := u.Query()
	if s.encryption, err = encryptionOf(u.Scheme, query.Get("tls"), s.host); err != nil {
		return nil, err
	}
	if s.host == "" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return nil, errors.New("the mail server's URL must have a host, and no path")
	}
	port := "587"
	if s.encryption == implicitTLS {
		port = "465"
	}
	if s.port, err = strconv.Atoi(cmp.Or(u.Port(), port)); err != nil || s.port < 1 || s.port > 65535 {
		return nil, errors.New("the mail server's URL has no valid port")
	}
	if timeout := query.Get("timeout"); timeout != "" {
		if s.timeout, err = time.ParseDuration(timeout); err != nil || s.timeout <= 0 || s.timeout > maxTimeout {
			return nil, errors.New("the mail server's URL has no valid timeout; expected one such as 10s, of at most 50s")
		}
	}
	query.Del("tls")
	query.Del("timeout")
	if len(query) > 0 {
		return nil, errors.New("the mail server's URL has an unknown option; expected tls or timeout")
	}
	if s.password != "" && s.encryption == noTLS && !isLoopback(s.host) {
		return nil, errors.New("the mail server's URL would send the password in clear; remove tls=none")
	}
	return s, nil
}

func encryptionOf(scheme, option, host string) (encryption, error) {
	switch {
	case scheme == "smtps" && option == "":
		return implicitTLS, nil
	case scheme == "smtp" && option == "starttls":
		return startTLS, nil
	case scheme == "smtp" && option == "none":
		return noTLS, nil
	case scheme == "smtp" && option == "" && isLoopback(host):
		return noTLS, nil
	case scheme == "smtp" && option == "":
		return startTLS, nil
	default:
		return 0, errors.New("the mail server's URL must begin with smtp:// or smtps://, and tls must be none or starttls")
	}
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// Send sends an email by a new connection. A reply of 5xx to the email is a *PermanentError. A reply of 5xx before the
// email is not, because it tells of the server or of its configuration: an expired password must lose no email.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	e, err := m.encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err = s.send(ctx, e)
	if _, permanent := errors.AsType[*PermanentError](err); err != nil && !permanent && ctx.Err() != nil {
		// The connection was closed because of the context; its own error would only say that it is closed.
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("send email: %w", err)
	}
	return nil
}

func (s *SMTP) send(ctx context.Context, e encoded) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }() // the email's outcome is known by then
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := s.begin(ctx, conn, e.utf8)
	if err != nil {
		return fmt.Errorf("begin the session: %s", s.redact(err.Error()))
	}
	if ok, _ := client.Extension("SMTPUTF8"); e.utf8 && !ok {
		return &PermanentError{Err: errors.New("the mail server takes no addresses outside ASCII")}
	}
	if err := client.Mail("<" + e.from + ">"); err != nil {
		return refusal("sender", err, e)
	}
	if err := client.Rcpt("<" + e.to + ">"); err != nil {
		return refusal("recipient", err, e)
	}
	w, err := client.Data()
	if err != nil {
		return refusal("data", err, e)
	}
	if _, err := w.Write(e.data); err != nil {
		return refusal("content", err, e)
	}
	if err := w.Close(); err != nil {
		return refusal("content", err, e)
	}
	// The server has the email now. Nothing that happens to the connection changes that.
	_ = client.Quit()
	return nil
}

func (s *SMTP) connect(ctx context.Context) (net.Conn, error) {
	address := net.JoinHostPort(s.host, strconv.Itoa(s.port))
	if s.encryption == implicitTLS {
		return (&tls.Dialer{Config: s.tlsConfig()}).DialContext(ctx, "tcp", address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

// begin greets the server, begins TLS and authenticates, as configured.
func (s *SMTP) begin(ctx context.Context, conn net.Conn, utf8 bool) (*smtp.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTLSConfig(s.tlsConfig()),
		// The context ends first, so that its error is the one that is returned.
		gomail.WithTimeout(2 * s.timeout),
		// The library closes no connection that fails early, so it is given one.
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
	}
	switch s.encryption {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case implicitTLS:
		options = append(options, gomail.WithSSL())
	case noTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.user != "" {
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(
				gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5,
			))
	}
	if !utf8 {
		// Some servers refuse to pass on any email that asks for the extension.
		options = append(options, gomail.WithoutSMTPUTF8())
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return nil, err
	}
	return client.DialToSMTPClientWithContext(ctx)
}

func (s *SMTP) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
}

// redact removes the password from a text, also as it was sent: some servers repeat a command that they don't know.
func (s *SMTP) redact(text string) string {
	if s.password == "" {
		return text
	}
	return strings.NewReplacer(
		base64.StdEncoding.EncodeToString([]byte("\x00"+s.user+"\x00"+s.password)), "[password]",
		base64.StdEncoding.EncodeToString([]byte(s.password)), "[password]",
		s.password, "[password]",
	).Replace(text)
}

// maxReply bounds how much of a server's reply an error repeats, in characters.
const maxReply = 300

// refusal returns the error of a step, without the recipient's address: errors are logged.
func refusal(step string, err error, e encoded) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return fmt.Errorf("%s: %w", step, err)
	}
	recipient := regexp.MustCompile("(?i)" + regexp.QuoteMeta(e.to)) // servers repeat it in another case
	text := truncate(oneLine(recipient.ReplaceAllLiteralString(reply.Msg, "[recipient]")), maxReply)
	if reply.Code >= 500 && !ofSession(reply.Code) {
		return &PermanentError{Code: reply.Code, Err: fmt.Errorf("%s: %s", step, text)}
	}
	return fmt.Errorf("%s: %d %s", step, reply.Code, text)
}

// ofSession reports whether a reply of 5xx tells of the session and not of the email: authentication or TLS is missing
// or failed (RFC 3207, RFC 4954), or the server doesn't take the command, which some servers say for the same reasons.
func ofSession(code int) bool {
	return slices.Contains([]int{500, 502, 503, 530, 534, 535, 538}, code)
}

package email_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

func TestSend_InClear_ArrivesWithAllItsParts(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(*mailServer) {})
	m := message()
	require.NoError(t, open(t, "smtp://"+server.address).Send(t.Context(), m))
	mail := server.only(t)
	require.Equal(t, m.From.Email, mail.from)
	require.Equal(t, m.To.Email, mail.to)
	require.False(t, mail.utf8, "the email asks for SMTPUTF8 without need")
	header, found := parts(t, mail.data)
	require.Equal(t, m.Subject, decodeHeader(t, header.Get("Subject")))
	require.Len(t, found, 4)
	require.Equal(t, "Grüße\r\n.\r\nEnde\r\n", found[0].text)
}

func TestSend_ManyAtOnce_AllArrive(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(*mailServer) {})
	sender := open(t, "smtp://"+server.address)
	var sending sync.WaitGroup
	for range 8 {
		sending.Go(func() { require.NoError(t, sender.Send(t.Context(), message())) })
	}
	sending.Wait()
	require.Equal(t, 8, server.count())
}

func TestSend_WithTLSAndPassword_IsEncryptedAndAuthenticated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ scheme, option string }{"STARTTLS": {"smtp", "?tls=starttls"},
		"implicit": {"smtps", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert, roots := certificate(t)
			config := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
			server := startServer(t, func(s *mailServer) {
				s.user, s.secret, s.AllowInsecureAuth = "ann", "p@ss w:rd", false
				if c.scheme == "smtps" {
					s.implicitTLS = config
				} else {
					s.TLSConfig = config
				}
			})
			sender := open(t, c.scheme+"://ann:p%40ss%20w%3Ard@"+server.address+c.option)
			require.Error(t, sender.Send(t.Context(), message()), "a certificate of an unknown authority was accepted")
			sender.Trust(roots)
			require.NoError(t, sender.Send(t.Context(), message()))
			mail := server.only(t)
			require.True(t, mail.tls)
			require.Equal(t, "ann", mail.user)
		})
	}
}

func TestSend_ServerWithoutSTARTTLS_SendsNothing(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(s *mailServer) { s.user, s.secret = "ann", "secret" })
	err := open(t, "smtp://ann:secret@"+server.address+"?tls=starttls").Send(t.Context(), message())
	require.ErrorContains(t, err, "STARTTLS")
	requireTemporary(t, err)
	require.Zero(t, server.count())
}

func TestSend_WrongPassword_IsTemporaryAndNotRepeated(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(s *mailServer) { s.user, s.secret = "ann", "right" })
	err := open(t, "smtp://ann:wrong-secret@"+server.address).Send(t.Context(), message())
	requireTemporary(t, err)
	require.ErrorContains(t, err, "535")
	require.NotContains(t, err.Error(), "wrong-secret")
	require.Zero(t, server.count())
}

func TestSend_ServerThatRepeatsTheCommand_DoesNotShowThePassword(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("\x00ann\x00wrong-secret"))
	address := scriptedServer(t,
		map[string]string{"EHLO": "250-mail.test\r\n250 AUTH PLAIN", "AUTH": "501 what is AUTH PLAIN " + plain})
	err := open(t, "smtp://ann:wrong-secret@"+address).Send(t.Context(), message())
	require.ErrorContains(t, err, "501")
	require.NotContains(t, err.Error(), plain)
}

func TestSend_NoPasswordWhereOneIsNeeded_IsTemporary(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(s *mailServer) { s.user, s.secret = "ann", "right" })
	requireTemporary(t, open(t, "smtp://"+server.address).Send(t.Context(), message()))
}

func TestSend_BackendRefuses_IsPermanentOnlyFor5xxToTheEmail(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"hello", "mail", "rcpt", "content"} {
		for _, code := range []int{421, 451, 550, 552} {
			t.Run(step+" "+strconv.Itoa(code), func(t *testing.T) {
				t.Parallel()
				server := startServer(t, func(s *mailServer) {
					s.fault = func(at string, _ *gosmtp.Conn) error {
						if at != step {
							return nil
						}
						return &gosmtp.SMTPError{Code: code, EnhancedCode: gosmtp.EnhancedCode{code / 100, 1, 1},
							Message: "no to " +
								strings.ToUpper(message().To.Email)}
					}
				})
				err := open(t, "smtp://"+server.address).Send(t.Context(), message())
				requireOutcome(t, err, code, step != "hello")
				if step != "hello" {
					require.NotContains(t, strings.ToLower(err.Error()), message().To.Email,
						"the error names the recipient")
				}
				require.Zero(t, server.count())
			})
		}
	}
}

func TestSend_ScriptedReply_IsPermanentOnlyFor5xxToTheEmail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at     string
		ofMail bool
	}{{"greeting", false}, {"MAIL", true}, {"RCPT", true}, {"DATA", true}, {"content", true}} {
		for _, code := range []int{450, 554} {
			t.Run(c.at+" "+strconv.Itoa(code), func(t *testing.T) {
				t.Parallel()
				address := scriptedServer(t, map[string]string{c.at: strconv.Itoa(code) + " no"})
				requireOutcome(t, open(t, "smtp://"+address).Send(t.Context(), message()), code, c.ofMail)
			})
		}
	}
}

func TestSend_ConnectionCut_IsTemporary(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"greeting", "EHLO", "MAIL", "RCPT", "DATA", "content"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			address := scriptedServer(t, map[string]string{at: "cut"})
			requireTemporary(t, open(t, "smtp://"+address).Send(t.Context(), message()))
		})
	}
}

func TestSend_ConnectionCutAfterTheServerTookTheEmail_IsTemporaryAndRecognizable(t *testing.T) {
	t.Parallel()
	var cut atomic.Bool
	server := startServer(t, func(s *mailServer) {
		s.fault = func(step string, c *gosmtp.Conn) error {
			if step == "content" && cut.CompareAndSwap(false, true) {
				return c.Conn().Close() // the email is taken, its reply is lost
			}
			return nil
		}
	})
	sender := open(t, "smtp://"+server.address)
	requireTemporary(t, sender.Send(t.Context(), message()))
	require.NoError(t, sender.Send(t.Context(), message()))
	// The server keeps the first email after it has cut the connection.
	require.Eventually(t, func() bool { return server.count() == 2 }, time.Minute, time.Millisecond)
	first, _ := parts(t, server.mails[0].data)
	second, _ := parts(t, server.mails[1].data)
	require.Equal(t, first.Get("Message-Id"), second.Get("Message-Id"))
}

func TestSend_ConnectionCutAfterTheReply_IsSent(t *testing.T) {
	t.Parallel()
	address := scriptedServer(t, map[string]string{"QUIT": "cut"})
	require.NoError(t, open(t, "smtp://"+address).Send(t.Context(), message()))
}

func TestSend_NobodyListens_IsTemporary(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	requireTemporary(t, open(t, "smtp://"+listener.Addr().String()).Send(t.Context(), message()))
}

func TestSend_ServerNeverAnswers_EndsAtTheTimeout(t *testing.T) {
	t.Parallel()
	address := listen(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	err := open(t, "smtp://"+address+"?timeout=50ms").Send(t.Context(), message())
	requireTemporary(t, err)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestSend_ContextEnds_EndsTheWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address := listen(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "220 mail.test\r\n")
		_, _ = conn.Read(make([]byte, 1))
		cancel()
		_, _ = io.Copy(io.Discard, conn)
	})
	err := open(t, "smtp://"+address).Send(ctx, message())
	requireTemporary(t, err)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSend_AddressOutsideASCII_NeedsAServerThatTakesIt(t *testing.T) {
	t.Parallel()
	for _, takes := range []bool{true, false} {
		server := startServer(t, func(s *mailServer) { s.EnableSMTPUTF8 = takes })
		m := message()
		m.To.Email = "łukasz@bücher.example"
		err := open(t, "smtp://"+server.address).Send(t.Context(), m)
		if !takes {
			requirePermanent(t, err, 0)
			require.Zero(t, server.count())
			continue
		}
		require.NoError(t, err)
		require.True(t, server.only(t).utf8)
		require.Equal(t, "łukasz@xn--bcher-kva.example", server.only(t).to)
	}
}

func TestOpenSMTP_BadURL_IsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"http://ann:secret@mail.example", "ann:secret@mail.example:25", "smtp://ann:secret@",
		"smtp://ann:secret@mail.example:99999",
		"smtp://ann:secret@mail.example:x", "smtp://ann:sec%ret@mail.example",
		"smtp://ann:secret@mail.example?tls=maybe",
		"smtps://ann:secret@mail.example?tls=none",
		"smtp://ann:secret@mail.example?tls=none", "smtp://ann:secret@mail.example?timeout=never",
		"smtp://ann:secret@mail.example?timeout=-1s",
		"smtp://ann:secret@mail.example?timeout=51s",
		"smtp://ann:secret@mail.example?insecure=1", "smtp://ann:secret@mail.example/inbox",
		"smtp://ann:secret@mail.example\n",
	} {
		_, err := email.OpenSMTP(url)
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "sec", url)
	}
}

func TestOpenSMTP_GoodURL_IsAccepted(t *testing.T) {
	t.Parallel()
	// A password shows that these are encrypted: it is refused otherwise.
	for _, url := range []string{
		"smtp://ann:secret@mail.example", "smtp://ann:secret@mail.example:2525", "smtps://ann:secret@mail.example",
		"smtps://ann:secret@[2001:db8::1]:465/",
		"smtp://ann:secret@mail.example?tls=starttls&timeout=10s", "smtp://ann:secret@localhost:1025",
		"smtp://ann:secret@[::1]?tls=none",
		"smtp://mail.example?tls=none", "smtp://ann:secret@mail.example?timeout=50s",
	} {
		_, err := email.OpenSMTP(url)
		require.NoError(t, err, url)
	}
}

func TestOpen_ChoosesTheServerThenTheDirectory(t *testing.T) {
	t.Parallel()
	sender, err := email.Open("", "")
	require.NoError(t, err)
	require.Nil(t, sender)
	sender, err = email.Open("smtps://mail.example", t.TempDir())
	require.NoError(t, err)
	require.IsType(t, &email.SMTP{}, sender)
	sender, err = email.Open("", t.TempDir())
	require.NoError(t, err)
	require.IsType(t, &email.Directory{}, sender)
	sender, err = email.Open("ftp://mail.example", t.TempDir())
	require.Error(t, err)
	require.Nil(t, sender)
}

func requireTemporary(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	var refused *email.PermanentError
	require.NotErrorAs(t, err, &refused)
}

// requireOutcome asserts what a reply means. Before the email, no reply is permanent.
func requireOutcome(t *testing.T, err error, code int, ofMail bool) {
	t.Helper()
	if ofMail && code >= 500 {
		requirePermanent(t, err, code)
		return
	}
	requireTemporary(t, err)
	require.ErrorContains(t, err, strconv.Itoa(code))
}

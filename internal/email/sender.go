package email

import (
	"context"
	"errors"
	"strconv"
)

// Sender sends emails. Any number of goroutines may use it.
type Sender interface {
	// Send sends one email. It returns a *PermanentError for an email that must not be sent again. After any other
	// error a later attempt may succeed. The email may have arrived nevertheless, if the connection broke at its end:
	// the next attempt has the same Message-ID.
	Send(ctx context.Context, m Message) error
}

// PermanentError says that an email can't be sent, now or later: it is malformed, or the mail server refused it for
// good.
type PermanentError struct {
	// Code is the mail server's reply code, or 0 for an email that no server has seen.
	Code int
	Err  error
}

// Error returns the reason. It names neither the recipient nor the password.
func (e *PermanentError) Error() string {
	if e.Code == 0 {
		return "email refused: " + e.Err.Error()
	}
	return "email refused with " + strconv.Itoa(e.Code) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *PermanentError) Unwrap() error { return e.Err }

// WhyNotSent returns in a sentence why an email was not sent. permanent says that it must not be sent again.
func WhyNotSent(err error) (reason string, permanent bool) {
	refused, ok := errors.AsType[*PermanentError](err)
	switch {
	case !ok:
		return "The mail server did not take the email.", false
	case refused.Code != 0:
		return "The mail server refused the email with " + strconv.Itoa(refused.Code) + ".", true
	default:
		return "The email can't be sent.", true
	}
}

// Open returns what sends emails: the mail server at address, or else the directory dir, or else nil: no email is sent.
// See OpenSMTP for the address and OpenDirectory for the directory.
func Open(address, dir string) (Sender, error) {
	switch {
	case address != "":
		s, err := OpenSMTP(address)
		if err != nil {
			return nil, err
		}
		return s, nil
	case dir != "":
		d, err := OpenDirectory(dir)
		if err != nil {
			return nil, err
		}
		return d, nil
	default:
		return nil, nil
	}
}

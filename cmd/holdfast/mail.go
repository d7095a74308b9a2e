package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/message"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

const (
	mailDir            = "mail"
	unsubscribeKeyFile = "unsubscribe-key"
)

// openSender returns what sends emails: the configured mail server, or with --demo a directory that keeps them. It returns nil if no
// email is sent.
func (c *Config) openSender() (email.Sender, error) {
	dir := ""
	if c.Demo {
		dir = c.file(mailDir)
	}
	sender, err := email.Open(c.SMTPURL, dir)
	if err != nil {
		return nil, fmt.Errorf("HOLDFAST_SMTP_URL: %w", err)
	}
	return sender, nil
}

// canOpenSMTP reports whether a mail server's URL can be read.
func canOpenSMTP(url string) bool {
	_, err := email.OpenSMTP(url)
	return err == nil
}

// isEmail reports whether emails can be sent from an address.
func isEmail(address string) bool { return (email.Address{Email: address}).Check("") == nil }

// users returns the use cases of people who sign in, on a server that sends through sender, nil for one that sends no emails. url is where
// the server listens.
func (c *Config) users(st *store.Store, sender email.Sender, url string) *user.Service {
	cfg := user.Config{PublicURL: cmp.Or(c.PublicURL, url), Sender: sender}
	if c.EmailFrom != "" {
		cfg.From = &email.Address{Email: c.EmailFrom}
	}
	return user.NewService(st, cfg)
}

// messages returns the use cases of messages to customers on a server that sends through sender, nil for one that sends no emails.
func (c *Config) messages(st *store.Store, tenantSettings *settings.Service, links *booking.Links, sender email.Sender,
) (*message.Service, error) {
	unsubscribing, err := c.unsubscriber()
	if err != nil {
		return nil, err
	}
	return message.NewService(st, tenantSettings, unsubscribing, links, sender != nil), nil
}

// messageKinds returns the kinds of events of which people receive messages. url is where the server listens.
func (c *Config) messageKinds(messages *message.Service, users *user.Service, sender email.Sender, url string) []event.Kind {
	kinds := messages.Kinds()
	if sender != nil {
		kinds = append(kinds, messages.Emails(sender, cmp.Or(c.PublicURL, url))...)
		kinds = append(kinds, users.Email())
	}
	return kinds
}

// setUpDemo gives the demo tenant a sender of emails and a reminder.
func setUpDemo(ctx context.Context, tenantSettings *settings.Service, t tenant.Tenant) error {
	_, err := tenantSettings.Change(ctx, t.ID, mergepatch.Of[settings.Spec](`{"reminders": [{"days_before": 1, "at": "18:00"}],
		"email": {"from": {"name": "Harbour Tours", "email": "booking@harbour-tours.example"}},
		"booking_page": {"enabled": true, "introduction": "Tours of the harbour, charters, and a hall for your feast.",
			"contact": "Harbour Tours, Pier 7, Hamburg"}}`), "")
	return err
}

// printMailDir prints where the emails are that nobody sends.
func (c *Config) printMailDir() error {
	if c.SMTPURL != "" {
		return nil
	}
	_, err := fmt.Printf("  Emails are not sent but kept in %s\n", filepath.Join(c.DataDir, mailDir))
	return err
}

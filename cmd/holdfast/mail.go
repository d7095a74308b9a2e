package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/mergepatch"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

const (
	mailDir            = "mail"
	unsubscribeKeyFile = "unsubscribe-key"
)

// openSender returns what sends emails: the configured mail server, or with --demo a directory that keeps them. It
// returns nil if no email is sent.
func (c *Config) openSender() (email.Sender, error) {
	dir := ""
	if c.Demo {
		dir = c.file(mailDir)
	}
	sender, err := email.Open(c.SMTPURL, dir)
	if err != nil {
		return nil, fmt.Errorf("HOLDFAST_SMTP_URL: %w", err)
	}
	senders := c.senders()
	if sender != nil && senders.Tenants == "" && len(senders.Domains) == 0 {
		return nil, errors.New("HOLDFAST_SMTP_URL: tenants have no sender: set HOLDFAST_TENANT_EMAIL_FROM to an address of yours, or " +
			"list their domains in HOLDFAST_TENANT_EMAIL_DOMAINS")
	}
	if senders.Links != "" && email.Fold(senders.Links) == email.Fold(senders.Tenants) {
		return nil, errors.New("HOLDFAST_TENANT_EMAIL_FROM: expected another address than that of HOLDFAST_EMAIL_FROM: tenants write " +
			"these emails, and people trust the other ones")
	}
	return sender, nil
}

// The senders of a demonstration, which sends no emails.
const (
	demoEmailFrom       = "console@holdfast.example"
	demoTenantEmailFrom = "mail@holdfast.example"
)

// senders returns the addresses that the server sends from.
func (c *Config) senders() email.Senders {
	domains, _ := email.ParseSenderDomains(c.TenantEmailDomains) // the setting's range has read it
	s := email.Senders{Links: c.EmailFrom, Tenants: c.TenantEmailFrom, Domains: domains}
	if c.Demo && c.SMTPURL == "" {
		s.Links, s.Tenants = cmp.Or(s.Links, demoEmailFrom), cmp.Or(s.Tenants, demoTenantEmailFrom)
	}
	return s
}

// areSenderDomains reports whether a list of the domains of senders can be read.
func areSenderDomains(text string) bool {
	_, err := email.ParseSenderDomains(text)
	return err == nil
}

// canOpenSMTP reports whether a mail server's URL can be read.
func canOpenSMTP(url string) bool {
	_, err := email.OpenSMTP(url)
	return err == nil
}

// isEmail reports whether emails can be sent from an address.
func isEmail(address string) bool { return (email.Address{Email: address}).Check("") == nil }

// users returns the use cases of people who sign in, for a command, which sends no emails.
func (c *Config) users(st *db.DB) *user.Service {
	return user.NewService(st, user.Config{PublicURL: cmp.Or(c.PublicURL, "http://"+c.Addr), Senders: c.senders()})
}

// setUpDemo gives the demo tenant a sender of emails and a reminder.
func setUpDemo(ctx context.Context, tenantSettings *settings.Service, t tenant.Tenant) error {
	_, err := tenantSettings.Change(ctx, t.ID, mergepatch.Of[settings.Spec](`{"reminders": [{"days_before": 1, "at": "18:00"}],
		"email": {"from": {"name": "Harbour Tours", "email": "booking@harbour-tours.example"}},
		"booking_page": {"enabled": true, "introduction": "Tours of the harbour, charters, and a hall for your feast.",
			"address": "Pier 7, Hamburg", "contact": "+49 40 1234567"}}`), "")
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

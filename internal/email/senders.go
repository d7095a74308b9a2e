package email

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"holdfast/internal/problem"
)

// Senders says from which addresses a server sends emails. The tenants share its mail server, so a tenant's own address
// is the sender only where the operator says that its domain is the tenant's. The zero value has no sender.
type Senders struct {
	// Links is the sender of links that sign people in; empty for the sender of tenants.
	Links string
	// Tenants is the sender of tenants' emails, with the tenant's name beside it. Replies go to the tenant's own
	// address. Without it only tenants with a domain of Domains send emails.
	Tenants string
	Domains []SenderDomain
}

// SenderDomain is a domain whose addresses a tenant sends from.
type SenderDomain struct {
	// Slug is that of the tenant; empty for all tenants.
	Slug string
	// Domain is in small letters, and in ASCII (RFC 5890).
	Domain string
}

// ParseSenderDomains reads domains as the operator lists them: with commas in between, each for one tenant, as in
// harbour=harbour.example, or for all of them, as in harbour.example.
func ParseSenderDomains(text string) (list []SenderDomain, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		slug, domain, found := strings.Cut(part, "=")
		if !found {
			slug, domain = "", part
		}
		ascii, err := idna.Lookup.ToASCII(strings.TrimSpace(domain))
		if err != nil || (Address{Email: "a@" + ascii}).Check("") != nil || found && slug == "" {
			return nil, errors.New("expected domains, such as harbour=harbour.example for one tenant")
		}
		list = append(list, SenderDomain{Slug: strings.TrimSpace(slug), Domain: Fold(ascii)})
	}
	return list, nil
}

// Sender returns the sender of a tenant's emails, and where replies go; nil for replies to the sender. own is the
// tenant's address. ok is false if the server has no sender for them.
func (s Senders) Sender(slug string, own Address) (from Address, replyTo *Address, ok bool) {
	mailbox, valid := own.mailbox()
	reserved := s.reserves(own)
	if valid && !reserved {
		domain := Fold(mailbox.Address[strings.LastIndexByte(mailbox.Address, '@')+1:])
		if slices.Contains(s.Domains, SenderDomain{slug, domain}) ||
			slices.Contains(s.Domains, SenderDomain{"", domain}) {
			return own, nil, true
		}
		replyTo = &own
	}
	return Address{Name: own.Name, Email: s.Tenants}, replyTo, s.Tenants != ""
}

// OfLinks is Of for the links that sign a tenant's users in. own is nil for a tenant without a sender.
func (s Senders) OfLinks(slug string, own *Address) (from Address, replyTo *Address, ok bool) {
	switch {
	case s.Links != "":
		return Address{Email: s.Links}, nil, true
	case own != nil:
		return s.Sender(slug, *own)
	}
	return Address{}, nil, false
}

// Check returns problem.ValidationFailed about the named field for an address of the server's own: no tenant may send
// as the server does.
func (s Senders) Check(field string, own Address) error {
	if s.reserves(own) {
		return problem.Invalid(field, "reserved", "This is an address of the server's own. Give one of yours.")
	}
	return nil
}

// reserves reports whether an address is one of the server's own.
func (s Senders) reserves(own Address) bool {
	mailbox, valid := own.mailbox()
	return valid && slices.ContainsFunc([]string{s.Links, s.Tenants}, func(address string) bool {
		of, valid := Address{Email: address}.mailbox()
		return valid && Fold(of.Address) == Fold(mailbox.Address)
	})
}

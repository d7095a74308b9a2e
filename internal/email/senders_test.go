package email_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/problem"
)

func TestSenders_AddressOfADomainThatIsNotListed_IsOnlyRepliedTo(t *testing.T) {
	t.Parallel()
	domains, err := email.ParseSenderDomains("harbour=harbour.example, Shared.example,bolt=b\u00FCro.example")
	require.NoError(t, err)
	s := email.Senders{Links: "console@platform.example", Tenants: "mail@platform.example", Domains: domains}
	for _, c := range []struct {
		slug, own, from, replyTo string
	}{
		{"harbour", "booking@harbour.example", "booking@harbour.example", ""},
		{"harbour", "booking@HARBOUR.example", "booking@HARBOUR.example", ""},
		{"bolt", "booking@harbour.example", "mail@platform.example", "booking@harbour.example"},
		{"bolt", "x@shared.example", "x@shared.example", ""},
		{"bolt", "x@b\u00FCro.example", "x@b\u00FCro.example", ""},
		{"bolt", "x@xn--bro-hoa.example", "x@xn--bro-hoa.example", ""},
		{"harbour", "booking@mail.harbour.example", "mail@platform.example", "booking@mail.harbour.example"},
		{"bolt", "ceo@bigbank.example", "mail@platform.example", "ceo@bigbank.example"},
		{"bolt", "Console@Platform.Example", "mail@platform.example", ""}, // an earlier version took it
	} {
		from, replyTo, ok := s.Sender(c.slug, email.Address{Name: "Name", Email: c.own})
		require.True(t, ok)
		require.Equal(t, email.Address{Name: "Name", Email: c.from}, from, c.own)
		if c.replyTo == "" {
			require.Nil(t, replyTo, c.own)
		} else {
			require.Equal(t, &email.Address{Name: "Name", Email: c.replyTo}, replyTo)
		}
	}
	s.Tenants = ""
	_, _, ok := s.Sender("bolt", email.Address{Email: "ceo@bigbank.example"})
	require.False(t, ok, "no sender")
}

func TestSenders_AddressOfTheServer_IsRefused(t *testing.T) {
	t.Parallel()
	s := email.Senders{
		Links: "console@platform.example", Tenants: "mail@platform.example",
		Domains: []email.SenderDomain{{Domain: "platform.example"}},
	}
	for _, own := range []string{
		"console@platform.example", "CONSOLE@platform.Example", "mail@platform.example", "mail@\uFF50latform.example",
	} {
		require.True(t, problem.Is(s.Check("email.from.email", email.Address{Email: own}), problem.ValidationFailed),
			own)
		from, _, _ := s.Sender("bolt", email.Address{Email: own})
		require.Equal(t, "mail@platform.example", from.Email)
	}
	require.NoError(t, s.Check("email.from.email", email.Address{Email: "booking@platform.example"}))
	require.NoError(t, email.Senders{}.Check("email.from.email", email.Address{Email: "booking@platform.example"}))
}

func TestParseSenderDomains_WhatIsNoDomain_IsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"harbour=", "=harbour.example", "a b.example", "*", "x@harbour.example",
		"[127.0.0.1]"} {
		_, err := email.ParseSenderDomains(text)
		require.Error(t, err, text)
	}
	list, err := email.ParseSenderDomains("")
	require.NoError(t, err)
	require.Empty(t, list)
}

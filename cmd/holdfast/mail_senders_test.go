package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenSender_TenantsHaveNoSender_OrThatOfSignInLinks_IsRefused(t *testing.T) {
	t.Parallel()
	const server = "smtp://127.0.0.1:25?tls=none"
	for wanted, c := range map[string]Config{
		"HOLDFAST_SMTP_URL: tenants have no sender": {SMTPURL: server, EmailFrom: "console@platform.example"},
		"HOLDFAST_TENANT_EMAIL_FROM: expected another address": {
			SMTPURL: server, EmailFrom: "mail@platform.example", TenantEmailFrom: "Mail@platform.example",
		},
	} {
		_, err := c.openSender()
		require.ErrorContains(t, err, wanted)
	}
	for _, c := range []Config{
		{SMTPURL: server, TenantEmailFrom: "mail@platform.example"},
		{SMTPURL: server, TenantEmailDomains: "harbour=harbour.example"},
		{Demo: true, DataDir: t.TempDir()},
	} {
		sender, err := c.openSender()
		require.NoError(t, err)
		require.NotNil(t, sender)
	}
	sender, err := new(Config).openSender()
	require.NoError(t, err)
	require.Nil(t, sender, "no email is sent")
}

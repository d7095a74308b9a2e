package webhook_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/webhook"
)

func TestCheckURL_ValidURL_Passes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://example.com", "HTTPS://Example.COM/hooks?a=b", "https://example.com:65535/", "https://example.com./",
		"https://xn--bcher-kva.example/",
		"https://a_b.example.com/", "https://8.8.8.8:8443/x", "https://[2606:4700::1]/", "https://localhost/",
		"https://example.com/" + strings.Repeat("a", 2000-len("https://example.com/")),
	} {
		require.NoError(t, webhook.CheckURL(text, nil), text)
	}
}

func TestCheckURL_InvalidURL_IsRefusedWithACode(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]string{
		"":                                                  "invalid_format",
		"example.com":                                       "invalid_format",
		"/hooks":                                            "invalid_format",
		"//example.com/hooks":                               "not_https",
		"https:example.com":                                 "invalid_format",
		"https:///hooks":                                    "invalid_format",
		"https://:443/":                                     "invalid_format",
		"https://exa mple.com/":                             "invalid_format",
		"https://example.com/\n":                            "invalid_format",
		"https://user@example.com/":                         "invalid_format",
		"https://user:pass@example.com/":                    "invalid_format",
		"https://@example.com/":                             "invalid_format",
		"https://example.com/#part":                         "invalid_format",
		"https://example.com/#":                             "invalid_format",
		"https://example.com:/":                             "invalid_format",
		"https://example.com:0/":                            "invalid_format",
		"https://example.com:65536/":                        "invalid_format",
		"https://example.com:port/":                         "invalid_format",
		"https://bücher.example/":                           "invalid_format",
		"https://１２７.0.0.1/":                                "invalid_format",
		"https://-a.example/":                               "invalid_format",
		"https://a..example/":                               "invalid_format",
		"https://./":                                        "invalid_format",
		"https://127.1/":                                    "invalid_format",
		"https://2130706433/":                               "invalid_format",
		"https://0x7f000001/":                               "invalid_format",
		"https://0x7f.0x0.0x0.0x1/":                         "invalid_format",
		"https://0177.0.0.1/":                               "invalid_format",
		"https://127.0.0.1./":                               "invalid_format",
		"https://[v1.a]/":                                   "invalid_format",
		"https://127.0.0.1/":                                "blocked_address",
		"https://[::ffff:169.254.169.254]":                  "blocked_address",
		"https://[::ffff:a9fe:a9fe]:80/":                    "blocked_address",
		"https://[fe80::1%25eth0]/":                         "blocked_address",
		"https://[2606:4700::1%25eth0]/":                    "blocked_address",
		"http://example.com/":                               "not_https",
		"http://8.8.8.8/":                                   "not_https",
		"ftp://example.com/":                                "not_https",
		"file://example.com/etc/passwd":                     "not_https",
		"https://" + strings.Repeat("a.", 127) + "example/": "invalid_format",
		"https://" + strings.Repeat("a", 64) + ".example/":  "invalid_format",
		"https://example.com/" + strings.Repeat("a", 1_981): "too_long",
		"https://example.com/" + strings.Repeat("%61", 10_000) + "#ignore": "too_long",
	} {
		requireField(t, code, webhook.CheckURL(text, nil), text)
	}
}

func TestCheckURL_HTTPWithAllowedNetworks_PassesForNames(t *testing.T) {
	t.Parallel()
	allowed, err := webhook.ParseNetworks("127.0.0.0/8")
	require.NoError(t, err)
	require.NoError(t, webhook.CheckURL("http://hooks.internal:8080/", allowed))
	require.NoError(t, webhook.CheckURL("http://127.0.0.1:8080/", allowed))
	requireField(t, "not_https", webhook.CheckURL("ftp://127.0.0.1/", allowed), "another scheme")
	requireField(t, "blocked_address", webhook.CheckURL("http://8.8.8.8/", allowed), "http to a public address")
}

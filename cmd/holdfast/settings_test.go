package main

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// settingsOf returns the flags of a command line after the given settings were read as flags.
func settingsOf(t *testing.T, given map[string]string, command ...string) ([]*kong.Flag, error) {
	t.Helper()
	parser, err := newParser(new(cli), kong.Exit(func(int) { t.Error("exits") }),
		kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
			if value, ok := given[settingName(flag)]; ok {
				return value, nil
			}
			return nil, nil //nolint:nilnil // kong's resolver returns nil, nil for a setting that it has no value for
		})))
	require.NoError(t, err)
	k, err := parser.Parse(command)
	if err != nil {
		return nil, err
	}
	return k.Flags(), checkSettings(k.Flags())
}

var everySetting = [][]string{{"serve"}, {"sandbox"}, {"locks"}}

func TestSettings_EverySettingHasARange(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, command := range everySetting {
		flags, err := settingsOf(t, nil, command...)
		require.NoError(t, err, "the defaults are in their ranges")
		for _, f := range flags {
			name := settingName(f)
			if len(f.Envs) == 0 && f.Target.Type() != reflect.TypeFor[time.Duration]() {
				continue
			}
			for _, env := range f.Envs {
				names[env] = true
			}
			tag := f.Tag.Get("range")
			switch {
			case f.IsBool(), f.Enum != "", f.Target.Type() == reflect.TypeFor[slog.Level]():
				require.Empty(t, tag, "%s is bounded already", name)
			case f.Target.Kind() == reflect.String:
				require.Contains(t, textRanges, tag, "%s has a range", name)
			default:
				_, err := inRange(f.Target, tag)
				require.NoError(t, err, "%s has a range", name)
				requireBounded(t, f, command)
			}
		}
	}
	for field := range reflect.TypeFor[Config]().Fields() {
		require.Contains(t, names, field.Tag.Get("env"))
	}
}

// requireBounded gives a number values that no setting may have.
func requireBounded(t *testing.T, f *kong.Flag, command []string) {
	t.Helper()
	values := []string{"-1", "99999999999"}
	switch f.Target.Interface().(type) {
	case time.Duration:
		values = []string{"-1ns", "1000000h"}
	case float64:
		values = append(values, "NaN", "+Inf", "1e-300")
	}
	for _, value := range values {
		_, err := settingsOf(t, map[string]string{settingName(f): value}, command...)
		require.ErrorContains(t, err, settingName(f)+": expected ", value)
	}
}

func TestSettings_OutOfTheirRange_AreRefusedByNameWithoutTheValue(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"HOLDFAST_ADDR (--addr)": {"", "8080", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:-1",
			"127.0.0.1:http", "127.0.0.1:", "::1:80"},
		"HOLDFAST_METRICS_ADDR (--metrics-addr)": {"9090", "h:x:1"},
		"HOLDFAST_ADMIN_KEY (--admin-key)": {"a", strings.Repeat("a", 64), "1234567890123456789012",
			"Key with blanks 123456789 abcdef"},
		"HOLDFAST_DATABASE_CONNS (--database-conns)": {"0", "10001"},
		"HOLDFAST_DATABASE_URL (--database-url)": {"mysql://me:hunter2@h/d", "postgres://me:hunter2@h:port/d",
			"hunter2"},
		"HOLDFAST_DATA_DIR (--data-dir)":                             {"", "a\x00b"},
		"HOLDFAST_DIRECT_DATABASE_URL (--direct-database-url)":       {"http://h/"},
		"HOLDFAST_COMMIT_TIMEOUT (--commit-timeout)":                 {"99ms", "31s"},
		"HOLDFAST_LOCK_TIMEOUT (--lock-timeout)":                     {"0s", "61s"},
		"HOLDFAST_QUEUE_TIMEOUT (--queue-timeout)":                   {"0s"},
		"HOLDFAST_CLEANUP_INTERVAL (--cleanup-interval)":             {"1ns"},
		"HOLDFAST_CLEANUP_BATCH (--cleanup-batch)":                   {"0"},
		"HOLDFAST_CHANGE_RETENTION (--change-retention)":             {"0s", "720h", "743h"}, // keys live 720 h
		"HOLDFAST_EVENT_RETENTION (--event-retention)":               {"0s", "1h", "119h"},
		"HOLDFAST_SANDBOX_URL (--sandbox-url)":                       {"127.0.0.1:80", "ftp://h/", "http://"},
		"HOLDFAST_SANDBOX_KEY (--sandbox-key)":                       {"a b", "é"},
		"HOLDFAST_SANDBOX_WEBHOOK_SECRET (--sandbox-webhook-secret)": {"a\nb"},
		"HOLDFAST_STRIPE_KEY (--stripe-key)":                         {"sk live", strings.Repeat("x", 1001)},
		"HOLDFAST_STRIPE_RETURN_URL (--stripe-return-url)":           {"javascript:x"},
		"HOLDFAST_SANDBOX_ADDR (--sandbox-addr)":                     {"", "x"},
		"HOLDFAST_SANDBOX_WEBHOOK_URL (--sandbox-webhook-url)":       {"x"},
		"HOLDFAST_STRIPE_WEBHOOK_SECRET (--stripe-webhook-secret)":   {"\x7f"},
		"HOLDFAST_PROVIDER_ABSENT_AFTER (--provider-absent-after)":   {"0s", "25h"},
		"HOLDFAST_PROVIDER_TIMEOUT (--provider-timeout)":             {"0s", "1m"},
		"HOLDFAST_LOG_LEVEL (--log-level)":                           {"info+2", "debug-4", "WARN+1"},
		"--interval":                                                 {"0s"},
	} {
		command := "serve"
		switch {
		case name == "--interval":
			command = "locks"
		case strings.Contains(name, "SANDBOX_ADDR") || strings.Contains(name, "SANDBOX_WEBHOOK_URL"):
			command = "sandbox"
		}
		for _, value := range values {
			_, err := settingsOf(t, map[string]string{name: value}, command)
			require.ErrorContains(t, err, name+": expected ", "%q", value)
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, err.Error(), "\n")
		}
	}
}

func TestSettings_InTheirRange_AreTaken(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"HOLDFAST_ADDR (--addr)":                         {":8080", "[::1]:0", "localhost:80"},
		"HOLDFAST_ADMIN_KEY (--admin-key)":               {""},
		"HOLDFAST_CLEANUP_INTERVAL (--cleanup-interval)": {"0s", "10ms"},
		"HOLDFAST_DATABASE_URL (--database-url)": {"postgres://me:p@h:5432/d?sslmode=disable",
			"host=/run/postgresql dbname=d"},
		"HOLDFAST_RATE_LIMIT (--rate-limit)":           {"0", "0.5", "1000000"},
		"HOLDFAST_TRUSTED_PROXIES (--trusted-proxies)": {"", "10.0.0.0/8, fd00::/8", "192.0.2.1"},
		"HOLDFAST_VISITOR_RATE (--visitor-rate)":       {"0", "0.001"},
		"HOLDFAST_VISITOR_HOLDS (--visitor-holds)":     {"0", "1000000"},
		"HOLDFAST_COMMIT_TIMEOUT (--commit-timeout)":   {"100ms", "30s"},
		"HOLDFAST_LOCK_TIMEOUT (--lock-timeout)":       {"1ms", "60s"},
		"HOLDFAST_LOG_LEVEL (--log-level)":             {"debug", "info", "warn", "error", "INFO"},
	} {
		for _, value := range values {
			_, err := settingsOf(t, map[string]string{name: value}, "serve")
			require.NoError(t, err, "%s=%q", name, value)
		}
	}
}

func TestAdminKey_Below128Bits_IsWeak(t *testing.T) {
	t.Parallel()
	for key, strong := range map[string]bool{
		"":                                 false,
		"a":                                false,
		"aaaaaaaaaaaaaaaaaaaaaa":           false,
		"abababababababababababababababab": false,
		"0123456789abcdef0123456789abcde":  false, // 31 hexadecimal digits
		"9f8e1c0b7a6d5e4f3c2b1a0918273645": true,  // 32
		"9F8E1C0B7A6D5E4F3C2B1A0918273645": true,
		"Zr3vKc0-Lw9_Qe7bYt5NxA":           true,  // 22 of base64url
		"Zr3vKc0-Lw9_Qe7bYt5Nx":            false, // 21
		"7XKQ2M5RZ3WVYH4TLJ6PNBGCDA":       true,  // 26 of base32
		"7XKQ2M5RZ3WVYH4TLJ6PNBGC":         false, // 24
		"31415926535897932384626433832795": false, // 32 digits
		"Zr3vKc0 Lw9 Qe7bYt5NxA12":         false, // blanks
		"Zr3vKc0éLw9_Qe7bYt5NxA12":         false,
	} {
		require.Equal(t, strong, strongKey(key), key)
	}
	require.GreaterOrEqual(t, 22*math.Log2(64), 128.0)
}

func TestAdminKey_KeptAndReplacedByAWeakOne_IsRefusedWithItsFile(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir()}
	made, err := c.adminKey()
	require.NoError(t, err)
	again, err := c.adminKey()
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.NoError(t, os.WriteFile(filepath.Join(c.DataDir, "admin-key"), []byte("hunter2\n"), 0o600))
	_, err = c.adminKey()
	require.ErrorContains(t, err, filepath.Join(c.DataDir, "admin-key"))
	require.NotContains(t, err.Error(), "hunter2")
}

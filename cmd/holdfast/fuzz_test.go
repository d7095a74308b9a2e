package main

import (
	"io"
	"testing"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
)

func FuzzMoment(f *testing.F) {
	for _, text := range []string{"", "2026-07-14", "2026-07-14T18:00:00Z", "2026-07-14T18:00:00+02:00", "9999-12-31",
		"0000-01-01",
		"2026-02-30"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m moment
		if m.UnmarshalText([]byte(text)) != nil {
			return
		}
		require.Equal(t, time.UTC, m.Location())
		require.True(t, m.Year() >= datetime.MinYear && m.Year() <= datetime.MaxYear, "other years are refused: %s", m)
		length := m.end(time.UTC).Sub(m.Time)
		require.Equal(t, m.day, length == 24*time.Hour)
		require.Equal(t, !m.day, length == 0)
	})
}

// FuzzConfig gives each setting any value, in the environment as operators do.
func FuzzConfig(f *testing.F) {
	var settings []string
	k, err := newParser(new(cli), kong.Exit(func(int) {}))
	require.NoError(f, err)
	for _, flag := range k.Model.Flags {
		settings = append(settings, flag.Envs...)
	}
	require.Greater(f, len(settings), 20)
	values := []string{"", "1", "-1", "5s", "true", "json", "127.0.0.1:0", "debug", "stripe", "\xff"}
	for i := range settings {
		f.Add(uint8(i), values[i%len(values)])
	}
	f.Fuzz(func(t *testing.T, which uint8, value string) {
		name := settings[int(which)%len(settings)]
		var c cli
		k, err := newParser(&c, kong.Exit(func(int) { t.Error("exits") }), kong.Writers(io.Discard, io.Discard),
			kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
				for _, env := range flag.Envs {
					if env == name {
						return value, nil
					}
				}
				return nil, nil
			})))
		require.NoError(t, err)
		parsed, err := k.Parse([]string{"version"})
		if err != nil || checkSettings(parsed.Flags()) != nil {
			return
		}
		require.Contains(t, []string{"text", "json"}, c.LogFormat)
		require.Contains(t, []string{"", "sandbox", "stripe"}, c.Provider)
		require.NotNil(t, c.logger())
	})
}

func FuzzPrintable(f *testing.F) {
	for _, text := range []string{"", "holdfast", "\x1b[2J", "a\nb", "\u202e", "\xff", "é"} {
		f.Add(text, 10)
	}
	f.Fuzz(func(t *testing.T, text string, length int) {
		for _, r := range printable(text) {
			require.True(t, unicode.IsPrint(r), "%U reaches the terminal", r)
		}
		if length > 0 {
			require.LessOrEqual(t, len([]rune(shortened(text, length))), length)
		}
	})
}

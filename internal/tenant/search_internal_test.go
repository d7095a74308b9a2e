package tenant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBeginnings_OfAText_AreItsSpellings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		" harbour t ":   {"HARBOUR T", "Harbour T", "Harbour t", "harbour t"},
		"anne-marie":    {"ANNE-MARIE", "Anne-Marie", "Anne-marie", "anne-marie"},
		"McDonald":      {"MCDONALD", "McDonald", "Mcdonald", "mcdonald"},
		"élan":          {"ÉLAN", "Élan", "élan"},
		"+49":           {"+49"},
		"a\u00a0b":      {"A\u00a0B", "A\u00a0b", "a\u00a0b"},
		"\U0001F6A3 ab": {"\U0001F6A3 AB", "\U0001F6A3 Ab", "\U0001F6A3 ab"},
	} {
		got, err := Beginnings("q", text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", " ", "\u2003", "a\x00", "a\nb"} {
		_, err := Beginnings("q", text)
		require.Error(t, err, "%q", text)
	}
}

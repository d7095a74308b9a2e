package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/registry"
)

const (
	uuid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	date = `[0-9]{4}-[0-9]{2}-[0-9]{2}`
)

func TestCommon_ExpressionsThatShareAText_GiveOne(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{uuid + ":" + date, ".*:2026-07-14"},
		{"a+b", "a{3}b"},
		{"(?i)SWEEP", "sweep"},
		{"-?[0-9]+", "[0-9]{2}"},
		{"", "a*"},
	} {
		text, found := registry.Common(pair[0], pair[1])
		require.True(t, found, pair)
		for _, re := range pair {
			require.Regexp(t, "^(?:"+re+")$", text)
		}
	}
}

func TestCommon_ExpressionsThatShareNoText_GiveNone(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{uuid + ":" + date, uuid + ":wallet:" + uuid},
		{uuid + ":balance:" + uuid, uuid + ":wallet:" + uuid},
		{"a+", "b+"},
		{"[a-c]", "[d-f]"},
		{"a", "aa"},
	} {
		text, found := registry.Common(pair[0], pair[1])
		require.False(t, found, "%q is said to be in both of %v", text, pair)
	}
}

func TestBeyond_APartThatIsNotWhollyInTheOther_GivesATextOutsideOfIt(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"-?[0-9]+", "[0-9]+"},
		{"(?s:.*)", uuid},
		{"[0-9]{4,}-[0-9]{2}-[0-9]{2}", date},
		{uuid + ":wallet:" + uuid, uuid + ":wallets:" + uuid},
		{"a*", "a{0,3}"},
	} {
		text, found := registry.Beyond(pair[0], pair[1])
		require.True(t, found, pair)
		require.Regexp(t, "^(?:"+pair[0]+")$", text)
		require.NotRegexp(t, "^(?:"+pair[1]+")$", text)
	}
}

func TestBeyond_APartThatIsWhollyInTheOther_GivesNone(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{uuid, uuid},
		{date, `[-0-9]+`},
		{"[0-9]{2}", "-?[0-9]+"},
		{"(?:ab)+", "[ab]*"},
		{uuid, "(?s:.*)"},
	} {
		text, found := registry.Beyond(pair[0], pair[1])
		require.False(t, found, "%q is said to be beyond %v", text, pair)
	}
}

package lock

import (
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestKeyOf_PublishedVectors_AreMetToTheBit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]uint64{ // from the FNV reference's test suite
		"":       0xcbf29ce484222325,
		"a":      0xaf63dc4c8601ec8c,
		"foobar": 0x85944171f73967e8,
	} {
		require.Equal(t, int64(want), keyOf(name).ID(), "name %q", name)
		require.Equal(t, name, keyOf(name).Name())
	}
}

func TestFNV_Invert_RestoresTheState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, text := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "text")
		h := fnv.New64a()
		_, _ = h.Write([]byte(before + text))
		state := fnv1a(fnvOffset, before)
		require.Equal(t, h.Sum64(), fnv1a(state, text))
		require.Equal(t, state, invert(h.Sum64(), text))
	})
}

func TestOrdered_TwoNamesThatCollide_AreOneLock(t *testing.T) {
	t.Parallel()
	keys, err := ordered([]Key{{name: "b", id: 7}, {name: "c", id: -1}, {name: "a", id: 7}})
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.Equal(t, int64(-1), keys[0].ID(), "ids are compared as signed numbers")
	require.Equal(t, int64(7), keys[1].ID())
}

package lock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParseName(f *testing.F) {
	const tenant, thing = "01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058"
	for _, name := range []string{
		"", ":", "goose", "idempotency cleanup", tenant + ":2027-07-01", tenant + ":2027-02-30", tenant + ":0000-01-01",
		tenant +
			":9999-12-31",
		tenant + ":balance:" + thing, tenant + ":wallet:" + thing, tenant + ":other:" + thing,
		tenant + ":balance:" + thing + ":x",
		"01890A5D-AC96-774B-BCCE-B302099A8057:2027-07-01", "01890a5dac96774bbcceb302099a8057:2027-07-01",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, ok := ParseName(name)
		if !ok {
			return
		}
		require.Equal(t, name, m.Name(), "a name has one spelling")
		require.Contains(t, []string{patternBalance, patternDate, patternWallet, "goose", "idempotency cleanup"},
			m.Pattern)
		var search Resolver
		search.Want(m.ID())
		switch m.Pattern {
		case patternBalance, patternDate, patternWallet:
			require.Equal(t, int64(fnv1a(fnvOffset, name)), m.ID())
			require.Equal(t, uuidText(m.Tenant), name[:36])
			require.Equal(t, []int64{m.ID()}, search.Unresolved(), "no fixed number is the hash of a name")
		default:
			require.Equal(t, []Name{m}, search.Names(m.ID()))
		}
	})
}

func FuzzInvert_UndoesTheHash(f *testing.F) {
	f.Add(fnvOffset, "")
	f.Add(uint64(0), ":2027-07-01")
	f.Add(^uint64(0), "\xff\x00é")
	f.Fuzz(func(t *testing.T, h uint64, text string) {
		require.Equal(t, h, invert(fnv1a(h, text), text))
	})
}

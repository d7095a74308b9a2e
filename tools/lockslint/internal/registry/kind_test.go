package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/registry"
)

func TestKind_RowThatSaysHowALockIsTaken_AllowsCodeThatCanTakeItSo(t *testing.T) {
	t.Parallel()
	waits := registry.Kind{Transaction: true, Wait: true}
	tries := registry.Kind{Transaction: true, Try: true}
	both := waits.Or(tries)
	session := registry.Kind{Session: true, Try: true}
	for _, c := range []struct {
		row, code registry.Kind
		allowed   bool
	}{
		{waits, waits, true},
		{waits, tries, false},
		{waits, both, true},
		{tries, waits, false},
		{tries, both, true},
		{both, waits, true},
		{both, tries, true},
		{tries, session, false},
		{session, tries, false},
		{session, session, true},
		{waits, registry.Kind{}, false},
	} {
		require.Equal(t, c.allowed, c.row.Allows(c.code), "the row says %s, the code %s", c.row, c.code)
	}
	require.Equal(t, "transaction, wait or try", both.String())
}

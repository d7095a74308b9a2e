package lockview_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/lockview"
)

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "0", "42424242", "-1", "0x", "0xffffffffffffffff", "0x10000000000000000", "9223372036854775808", "goose",
		"01890a5d-ac96-774b-bcce-b302099a8057:2027-07-01", "+1", "0x-1", "1_0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := lockview.Read(text)
		if err != nil {
			require.Zero(t, l)
			return
		}
		again, err := lockview.Read(strconv.FormatInt(l.ID(), 10))
		require.NoError(t, err)
		require.Equal(t, l.Key, again.Key, "a key is the same lock however it was named")
		require.NotEmpty(t, l.Label())
	})
}

func FuzzRegistryRow(f *testing.F) {
	for _, pattern := range []string{"", "{tenant}:{date}", "goose", "name", "---", "|", "`"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		row := lockview.RegistryRow(pattern)
		if row == nil {
			return
		}
		require.Equal(t, lockview.Cell{Column: "name", Text: pattern}, row[0])
	})
}

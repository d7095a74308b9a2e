package etag

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func FuzzPrecondition(f *testing.F) {
	for _, header := range []string{"", "*", `"1"`, `W/"1"`, `"1","2"`, ` "1" , "2" `, `"`, ",", "1", `"1`, `"-1"`,
		`"01"`} {
		f.Add(header, int64(1))
	}
	f.Fuzz(func(t *testing.T, header string, version int64) {
		err := Precondition(header).Check("booking", version)
		if err != nil {
			require.True(t, problem.Is(err, problem.VersionMismatch), err)
		} else if header != "" && strings.TrimSpace(header) != "*" {
			require.Contains(t, header, Of(version), "a version that isn't named matches nothing")
		}
		require.NoError(t, Precondition(header+","+Of(version)).Check("booking", version), "one of a list is enough")
		require.NoError(t, Precondition(Of(version)).Check("booking", version))
		require.Error(t, Precondition("W/"+Of(version)).Check("booking", version), "weak tags never match")
	})
}

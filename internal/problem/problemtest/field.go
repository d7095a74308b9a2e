// Package problemtest has what tests of refusals share.
package problemtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// RequireField requires that one field is refused with a code, or with an empty field that nothing is.
func RequireField(t testing.TB, err error, field, code string) {
	t.Helper()
	if field == "" {
		require.NoError(t, err)
		return
	}
	var refused *problem.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, problem.ValidationFailed, refused.Code)
	require.Len(t, refused.Fields, 1)
	require.Equal(t, [2]string{field, code}, [2]string{refused.Fields[0].Name, refused.Fields[0].Code})
}

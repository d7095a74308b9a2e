package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoneMatch_ListsAndWeakTags_AreCompared(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": true, `"a"`: false, `W/"a"`: false, `"b"`: true, `"b", W/"a"`: false, `"b",,W/"c"`: true, "*": false,
		`a`: true, `"a`: true,
	} {
		require.Equal(t, want, (&AvailabilityInput{IfNoneMatch: header}).noneMatch(`W/"a"`), header)
	}
}

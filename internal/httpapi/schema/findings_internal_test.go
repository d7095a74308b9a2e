package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/docs"
)

func TestRules_Codes_AreDocumented(t *testing.T) {
	t.Parallel()
	explained := make(map[string]bool)
	for _, row := range docs.Table(docs.Errors, "| code | meaning |")[1:] {
		for code := range strings.SplitSeq(row[0], ", ") {
			explained[strings.Trim(code, "`")] = true
		}
	}
	for _, r := range rules {
		require.True(t, explained[r.code], r.code)
	}
}

package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"holdfast/tools/lockslint/internal/rules"
)

// TestAnalyzer_EveryRuleOfCode_FindsTheBadAndNotTheGood runs the analyzer over a module for each rule. What a line
// breaks stands in its comment; every other line must be fine.
func TestAnalyzer_EveryRuleOfCode_FindsTheBadAndNotTheGood(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadDir("testdata/code")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, m := range modules {
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.Abs(filepath.Join("testdata/code", m.Name()))
			require.NoError(t, err)
			analysistest.Run(diagnosticsOnly{t}, dir, rules.NewAnalyzer(), "./...")
		})
	}
}

// diagnosticsOnly leaves out facts, which are how the analyzer works and not what it finds.
type diagnosticsOnly struct{ *testing.T }

// Errorf fails the test unless it is told of a fact.
func (t diagnosticsOnly) Errorf(format string, args ...any) {
	t.Helper()
	if message := fmt.Sprintf(format, args...); !strings.Contains(message, "unexpected fact") {
		t.Error(message)
	}
}

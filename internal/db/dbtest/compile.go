package dbtest

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// RequireRefused fails the test unless the compiler refuses a program that is wrong on purpose, with each of the
// refusals.
func RequireRefused(t *testing.T, program string, refusals ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", t.TempDir(), program).CombinedOutput()
	require.Error(t, err, "the program compiled")
	for _, refusal := range refusals {
		require.Contains(t, string(out), refusal)
	}
}

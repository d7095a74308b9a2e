package preflight

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck_ThatOnlyAdvises_FailsIfItCannotBeMade(t *testing.T) {
	t.Parallel()
	result := func(err error) Result {
		return check{name: "checkpoints", advises: true,
			run: func(context.Context) (string, error) { return "", err }}.result(t.Context())
	}
	require.Equal(t, Result{Check: "checkpoints", Result: Failed, Meaning: "connection refused"},
		result(errors.New("connection refused")))
	require.Equal(t, Result{Check: "checkpoints", Result: Advice, Meaning: "it is small", Advice: "enlarge it"},
		result(&failedCheck{meaning: "it is small", advice: "enlarge it"}))
}

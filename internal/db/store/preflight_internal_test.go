package store

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck_ThatOnlyAdvises_FailsIfItCannotBeMade(t *testing.T) {
	t.Parallel()
	result := func(err error) CheckResult {
		return check{name: "checkpoints", advises: true, run: func(context.Context) (string, error) { return "", err }}.result(t.Context())
	}
	require.Equal(t, CheckResult{Check: "checkpoints", Result: CheckFailed, Meaning: "connection refused"},
		result(errors.New("connection refused")))
	require.Equal(t, CheckResult{Check: "checkpoints", Result: CheckAdvice, Meaning: "it is small", Advice: "enlarge it"},
		result(&failedCheck{meaning: "it is small", advice: "enlarge it"}))
}

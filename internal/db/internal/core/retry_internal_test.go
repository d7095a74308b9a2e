package core

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// TestAttempts_CommitWasCutOff_OutcomeStaysUnknown has further attempts that certainly wrote nothing. The commit that
// was cut off may have happened all the same.
func TestAttempts_CommitWasCutOff_OutcomeStaysUnknown(t *testing.T) {
	t.Parallel()
	cut := errors.New("connection reset")
	committing, before := &lostError{err: cut, committing: true}, &lostError{err: cut}
	for name, test := range map[string]struct {
		attempts []error
		code     problem.Code
	}{
		"never":               {[]error{before, before, before, before}, problem.DatabaseUnavailable},
		"at the first commit": {[]error{committing, before, before, before}, problem.OutcomeUnknown},
		"in between":          {[]error{before, committing, before, before}, problem.OutcomeUnknown},
		"at the last commit":  {[]error{before, before, before, committing}, problem.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := &DB{metrics: newMetrics(nil, nil)}
			a := db.Attempts("book", true)
			for _, err := range test.attempts {
				require.False(t, a.final)
				a.End(err)
			}
			require.True(t, a.final)
			require.Equal(t, test.code, problem.CodeOf(a.Err()), "%v", a.Err())
		})
	}
}

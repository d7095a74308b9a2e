package payment

import (
	"slices"

	"holdfast/internal/problem"
)

// RefusedBeforeProvider reports whether Pay was refused by what is known of the order and its booking, and no provider
// was asked. Such a try doesn't count for its visitor.
func RefusedBeforeProvider(err error) bool {
	return slices.Contains([]problem.Code{
		problem.HoldExpired, problem.IdempotencyKeyReused, problem.InvalidState, problem.NotFound, problem.Overpayment,
		problem.PaymentAccountNotReady, problem.PaymentInProgress, problem.PaymentsNotConfigured,
		problem.RequestInProgress,
		problem.VersionMismatch,
	}, problem.CodeOf(err))
}

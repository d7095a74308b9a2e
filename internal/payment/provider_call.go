package payment

import (
	"context"
	"errors"
	"math"

	"github.com/google/uuid"

	"holdfast/internal/tracing"
)

// attempt is an open payment that this process works on.
type attempt struct {
	tenant   uuid.UUID
	payment  paymentRow
	refunded *paymentRow // the charge that a refund returns; nil for charges
	send     bool        // the order may be sent, or sent again
	resumed  bool        // an earlier request may have sent the order: look it up first
	cancel   bool        // the payment timed out: cancel it instead of sending it
}

// sendOrder runs the second phase: it sends the charge or refund. The caller holds no lock and no transaction.
func (s *Service) sendOrder(ctx context.Context, a attempt) callResult {
	if a.payment.RefundOf != nil {
		return s.callProvider(ctx, a, "refund", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
			return p.Refund(ctx, RefundOrder{
				Reference: ref, Key: providerKey(ref.ID, a.payment.FirstSentAt), ChargeID: providerID(a.refunded),
				Amount:   a.payment.Amount,
				Currency: a.payment.Currency, ReturnFee: a.refunded != nil && a.refunded.ApplicationFee > 0,
			})
		})
	}
	return s.callProvider(ctx, a, "charge", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		order := ChargeOrder{
			Reference:      ref,
			Key:            providerKey(ref.ID, a.payment.FirstSentAt),
			Amount:         a.payment.Amount,
			Currency:       a.payment.Currency,
			Method:         a.payment.Method,
			Description:    "Booking " + a.payment.BookingID.String(),
			ApplicationFee: a.payment.ApplicationFee,
			Metadata:       metadataOf(a.payment),
		}
		if a.payment.ReturnUrl != nil {
			// A payment whose cancel time was moved is cancelled, not sent again: each sending has the same end of the
			// page.
			order.Checkout = &Checkout{ExpiresAt: a.payment.CancelAt.UTC()}
			order.Checkout.ReturnURL, order.Checkout.CancelURL = returnURLs(*a.payment.ReturnUrl, ref.ID)
		}
		return p.Charge(ctx, order)
	})
}

// cancelOrLookUp cancels an attempt that timed out, and looks up any other.
func (s *Service) cancelOrLookUp(ctx context.Context, a attempt) callResult {
	if a.cancel {
		return s.cancelCharge(ctx, a)
	}
	return s.lookUp(ctx, a)
}

// lookUp asks the provider for the state of an order.
func (s *Service) lookUp(ctx context.Context, a attempt) callResult {
	known := providerID(&a.payment)
	result := s.callProvider(ctx, a, "look_up", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		if a.payment.RefundOf != nil {
			return p.FindRefund(ctx, ref, known, providerID(a.refunded))
		}
		return p.FindCharge(ctx, ref, known)
	})
	result.absentAfter = s.cfg.AbsentAfter
	if a.payment.Automatic {
		result.absentAfter = math.MaxInt64 // automatic refunds are sent until they are carried out
	}
	return result
}

// cancelCharge cancels a charge at the provider.
func (s *Service) cancelCharge(ctx context.Context, a attempt) callResult {
	known := providerID(&a.payment)
	result := s.callProvider(ctx, a, "cancel", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		return p.CancelCharge(ctx, ref, known)
	})
	result.cancel, result.absentAfter = true, s.cfg.AbsentAfter
	return result
}

// callProvider calls the provider with the call timeout and measures the call. The caller holds no lock, no transaction
// and no database connection.
func (s *Service) callProvider(ctx context.Context, a attempt, operation string,
	call func(context.Context, Provider, Reference) (Outcome, error),
) callResult {
	result := callResult{fence: a.payment.Fence}
	provider, err := s.providerOf(a.payment.Provider, a.payment.Account)
	if err != nil {
		result.err = err
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.CallTimeout)
	defer cancel()
	ctx, span := tracing.Start(ctx, "call the payment provider")
	defer span.End()
	done := s.metrics.startCall(provider.Name(), operation)
	result.outcome, result.err = call(ctx, provider, Reference{TenantID: a.tenant, ID: a.payment.PaymentID})
	done(result)
	traceCall(span, provider.Name(), operation, a, result)
	s.logFailure(ctx, result, "provider", provider.Name(), "account", accountID(a.payment.Account), "operation",
		operation,
		"tenant", a.tenant, "payment", a.payment.PaymentID, "error", result.err)
	return result
}

// logFailure logs a failed call, unless the client caused the failure with a wrong payment method.
func (s *Service) logFailure(ctx context.Context, result callResult, attributes ...any) {
	var notDone *NotDone
	switch refused := errors.As(result.err, &notDone); {
	case result.err == nil, refused && notDone.Method != "":
	case refused && notDone.TryAgain:
		s.log.WarnContext(ctx, "the payment provider can't be reached or takes no order now", attributes...)
	case refused:
		s.log.WarnContext(ctx, "the payment provider refused the order", attributes...)
	default:
		s.log.WarnContext(ctx, "the payment provider gave no outcome", attributes...)
	}
}

// traceCall notes on its span what a call came to.
func traceCall(span tracing.Span, provider, operation string, a attempt, result callResult) {
	if !span.Recording() {
		return
	}
	span.Set(tracing.Provider.String(provider), tracing.Operation.String(operation),
		tracing.TenantID.String(a.tenant.String()),
		tracing.PaymentID.String(a.payment.PaymentID.String()), tracing.Result.String(string(result.outcome.Result)))
	var notDone *NotDone
	switch {
	case result.err == nil:
	case errors.As(result.err, &notDone):
		span.Fail("not_done")
	default:
		span.Fail("unknown_outcome")
	}
}

// providerID returns the provider's id of a payment, or empty if there is no payment or its id is unknown.
func providerID(p *paymentRow) string {
	if p == nil || p.ProviderID == nil {
		return ""
	}
	return *p.ProviderID
}

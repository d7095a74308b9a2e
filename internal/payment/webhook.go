package payment

import (
	"context"
	"errors"
	"net/http"
	"time"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// HandleWebhook records the outcome that a provider's webhook reports. Each event is processed once. It returns nil for
// webhooks about anything but our payments. Errors: ErrSignature for an unknown provider and for a
// webhook that the provider didn't sign; problem.MalformedRequest for a signed one that can't be read.
func (s *Service) HandleWebhook(ctx context.Context, providerName string, header http.Header, body []byte) error {
	provider, ok := s.providers[providerName]
	if !ok {
		return ErrSignature
	}
	event, err := provider.Event(header, body, time.Now())
	switch {
	case errors.Is(err, ErrIgnored):
		return nil
	case errors.Is(err, ErrSignature):
		return err
	case err != nil:
		return problem.Wrap(err, problem.MalformedRequest, "The webhook is signed but can't be read.")
	}
	p, err := s.store.Payment(ctx, event.Reference.TenantID, event.Reference.ID)
	switch {
	case problem.Is(err, problem.NotFound), err == nil && p.Provider != providerName:
		s.log.WarnContext(ctx, "a webhook names a payment that isn't there", "provider", providerName, "event", event.ID)
		return nil
	case err != nil:
		return err
	}
	read := store.BalanceRead{Change: true, Payment: &p.PaymentID, Provider: providerName, Event: event.ID}
	var rec recorded
	err = s.balance(ctx, nil, event.Reference.TenantID, p.BookingID, walletToChange(p), read,
		func(tx *store.BalanceTx, st store.BalanceState, l locked) error {
			rec = recorded{}
			if st.EventFound || st.Payment == nil || st.Booking == nil || st.Changing == nil {
				return nil
			}
			tx.InsertEvent(providerName, event.ID, p.PaymentID)
			rec, err = s.applyResult(event.Reference.TenantID, tx, st, l, callResult{outcome: event.Outcome, webhook: true})
			return err
		})
	if err == nil {
		s.report(ctx, rec)
	}
	return err
}

package payment

import (
	"context"
	"errors"
	"net/http"
	"time"

	"holdfast/internal/db"
	"holdfast/internal/problem"
)

// Webhook is what a provider has signed. Use HandleWebhook.
type Webhook struct {
	provider Provider
	event    Event
}

// ReadWebhook returns what a provider's webhook reports, nil if it is about anything but our payments and accounts. It
// asks no database. Errors: ErrSignature for an unknown provider and for a webhook that the provider didn't sign;
// problem.MalformedRequest for a signed one that can't be read.
func (s *Service) ReadWebhook(providerName string, header http.Header, body []byte) (*Webhook, error) {
	provider, ok := s.providers[providerName]
	if !ok {
		return nil, ErrSignature
	}
	event, err := provider.Event(header, body, time.Now())
	switch {
	case errors.Is(err, ErrIgnored):
		return nil, nil
	case errors.Is(err, ErrSignature):
		return nil, err
	case err != nil:
		return nil, problem.Wrap(err, problem.MalformedRequest, "The webhook is signed but can't be read.")
	}
	return &Webhook{provider: provider, event: event}, nil
}

// HandleWebhook records the outcome that a provider's webhook reports. Each event is processed once. It returns nil for
// nil and for a webhook about a payment that isn't ours. One about an account has the account looked up. Errors:
// problem.MalformedRequest for a webhook of another account than its payment's, which is reported.
func (s *Service) HandleWebhook(ctx context.Context, w *Webhook) error {
	if w == nil {
		return nil
	}
	provider, event, providerName := w.provider, w.event, w.provider.Name()
	if event.AccountChanged {
		return s.refreshAccounts(ctx, provider, event.Account)
	}
	p, err := s.row(ctx, event.Reference.TenantID, event.Reference.ID)
	switch {
	case problem.Is(err, problem.NotFound), err == nil && p.Provider != providerName:
		s.log.WarnContext(ctx, "a webhook names a payment that isn't there", "provider", providerName, "event",
			event.ID)
		return nil
	case err != nil:
		return err
	case accountID(p.Account) != event.Account:
		s.metrics.otherAccounts.Inc()
		s.log.ErrorContext(ctx, "a webhook was refused: its account isn't that of its payment; a person has to look",
			"provider", providerName, "event", event.ID, "account", event.Account, "tenant", event.Reference.TenantID,
			"payment",
			p.PaymentID,
			"account_of_payment", accountID(p.Account))
		return problem.New(problem.MalformedRequest,
			"The account of this webhook isn't that of the payment it speaks of.")
	}
	read := balanceRead{Change: true, Payment: &p.PaymentID, Provider: providerName, Event: event.ID}
	var rec recorded
	err = s.balance(ctx, nil, event.Reference.TenantID, p.BookingID, walletToChange(p), read,
		func(tx *db.BalanceTx, st balanceState, l locked) error {
			rec = recorded{}
			if st.EventFound || st.Payment == nil || st.Booking == nil || st.Changing == nil {
				return nil
			}
			queueProviderEvent(tx, providerName, event.ID, p.PaymentID)
			rec, err = s.applyResult(event.Reference.TenantID, tx, st, l,
				callResult{outcome: event.Outcome, webhook: true})
			return err
		})
	if err == nil {
		s.report(ctx, rec)
	}
	return err
}

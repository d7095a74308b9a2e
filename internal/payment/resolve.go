package payment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

const (
	claimed = 20 // payments that a resolver has in hand at most
	atOnce  = 4  // calls of the provider at a time
)

// Resolve settles open payments until ctx ends: those whose outcome is unknown, those whose process died, those whose time is
// over, which it cancels, and the refunds that we make ourselves. It also ends the payments of bookings that ended. Any number
// of instances may run it; each payment is in one hand at a time.
func (s *Service) Resolve(ctx context.Context) {
	for ctx.Err() == nil {
		ended, err := s.ProcessEndedBookings(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("end the payments of ended bookings", "error", err)
		}
		n, err := s.ResolveOnce(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error("resolve payments", "error", err)
		}
		if n == claimed || ended == claimed {
			continue
		}
		pause := time.NewTimer(s.cfg.ResolveEvery/2 + rand.N(s.cfg.ResolveEvery)) //nolint:gosec // chance spreads instances and protects nothing
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// ResolveOnce looks at the open payments that are due, at most 20, and returns how many there were. What a payment's look
// failed of goes to the log; the payment is looked at again later.
func (s *Service) ResolveOnce(ctx context.Context) (int, error) {
	batch, err := s.store.ClaimPayments(ctx, claimed, s.lease())
	if err != nil {
		return 0, fmt.Errorf("claim open payments: %w", err)
	}
	inParallel(batch, func(c store.ClaimedPayment) {
		// A claimed payment is finished: giving it up in the middle would only make it wait for its lease.
		if err := s.resolve(context.WithoutCancel(ctx), c); err != nil {
			s.log.Error("resolve a payment", "tenant", c.TenantID, "payment", c.PaymentID, "error", err)
		}
	})
	return len(batch), nil
}

// inParallel calls do for each item, at most atOnce at a time, and returns when all have returned.
func inParallel[T any](items []T, do func(T)) {
	var running sync.WaitGroup
	permits := make(chan struct{}, atOnce)
	for _, item := range items {
		permits <- struct{}{}
		running.Go(func() {
			defer func() { <-permits }()
			do(item)
		})
	}
	running.Wait()
}

func (s *Service) resolve(ctx context.Context, c store.ClaimedPayment) error {
	p, err := s.store.Payment(ctx, c.TenantID, c.PaymentID)
	if err != nil {
		return err
	}
	if p == nil || p.Fence != c.Fence {
		return nil // settled, or in other hands
	}
	j := job{tenant: c.TenantID, payment: *p, cancel: s.cancelDue(*p, c.ClaimedAt)}
	if p.RefundOf != nil {
		charge, err := s.store.Payment(ctx, c.TenantID, *p.RefundOf)
		if err != nil {
			return err
		}
		j.charge = chargeID(charge)
	}
	f := s.findOut(ctx, j)
	if p.Automatic && f.absent() {
		// Nobody will ask for this refund again, so it is sent until it is done.
		if j, err = s.resend(ctx, j); err != nil {
			return err
		}
		if j.send {
			f = s.order(ctx, j)
		}
	}
	_, err = s.record(ctx, c.TenantID, j.payment, f)
	return err
}

// errTaken says that a payment is in other hands.
var errTaken = errors.New("payment: in other hands")

// resend marks an automatic refund, which the provider doesn't know, as sent once more, if it is time. At first it goes out
// under the same key. Then, because the provider may give the same error for a key as long as it is asked, it waits until
// what was sent last is certain not to have been carried out, and goes out under a new one.
func (s *Service) resend(ctx context.Context, j job) (job, error) {
	provider, err := s.provider(j.payment.Provider)
	if err != nil {
		return j, err
	}
	read := store.BalanceRead{Payment: &j.payment.PaymentID}
	err = s.store.Balance(ctx, balanceKey(j.tenant, j.payment.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		if st.Payment == nil || st.Payment.Fence != j.payment.Fence {
			return errTaken
		}
		p := *st.Payment
		age, asked := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
		switch {
		case age < s.sendable(provider) && (!asked || age < s.cfg.AbsentAfter):
		case st.Now.Sub(p.LastSentAt) >= s.cfg.AbsentAfter:
			p.FirstSentAt = st.Now
		default:
			return nil
		}
		p.LastSentAt, p.LeasedUntil = st.Now, st.Now.Add(s.lease())
		tx.TakePayment(p)
		j.payment, j.send = p, true
		return nil
	})
	return j, err
}

// Hear records what a provider's webhook says, once for each event. It returns ErrSignature for a webhook that isn't the
// provider's, problem.MalformedRequest for one that is and can't be read, and nil for one that tells nothing about payments
// of ours.
func (s *Service) Hear(ctx context.Context, providerName string, header http.Header, body []byte) error {
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
	if err != nil {
		return err
	}
	if p == nil || p.Provider != providerName {
		s.log.Warn("a webhook names a payment that isn't there", "provider", providerName, "event", event.ID)
		return nil
	}
	automatic, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("make a refund's id: %w", err)
	}
	read := store.BalanceRead{Payment: &p.PaymentID, Provider: providerName, Event: event.ID}
	var w written
	err = s.store.Balance(ctx, balanceKey(event.Reference.TenantID, p.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		w = written{}
		if st.Heard || st.Payment == nil || st.Booking == nil {
			return nil
		}
		tx.HearEvent(providerName, event.ID, p.PaymentID)
		w, err = s.write(tx, st, finding{outcome: event.Outcome, webhook: true}, automatic)
		return err
	})
	if err == nil {
		s.note(w)
	}
	return err
}

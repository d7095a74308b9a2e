package payment

import (
	"context"

	"holdfast/internal/store"
)

// prepareResend marks an automatic refund, which the provider doesn't know, as sent once more, if it is time. At first it goes out
// under the same key. Then, because the provider may give the same error for a key as long as it is asked, it waits until
// what was sent last is certain not to have been carried out, and goes out under a new one.
func (s *Service) prepareResend(ctx context.Context, a attempt) (attempt, error) {
	provider, err := s.provider(a.payment.Provider)
	if err != nil {
		return a, err
	}
	read := store.BalanceRead{Payment: &a.payment.PaymentID}
	err = s.store.Balance(ctx, balanceKey(a.tenant, a.payment.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		if st.Payment == nil || st.Payment.Fence != a.payment.Fence {
			return errLeaseLost
		}
		p := *st.Payment
		age, asked := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
		switch {
		case age < s.resendWindow(provider) && (!asked || age < s.cfg.AbsentAfter):
		case st.Now.Sub(p.LastSentAt) >= s.cfg.AbsentAfter:
			p.FirstSentAt = st.Now
		default:
			return nil
		}
		p.LastSentAt, p.LeasedUntil = st.Now, st.Now.Add(s.lease())
		tx.TakePayment(p)
		a.payment, a.send = p, true
		return nil
	})
	return a, err
}

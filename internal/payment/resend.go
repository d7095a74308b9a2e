package payment

import (
	"context"
	"errors"

	"holdfast/internal/db"
)

// errLeaseLost: another process works on the payment now.
var errLeaseLost = errors.New("payment: another process works on it")

// prepareResend decides whether an automatic refund that the provider doesn't know is sent again, and sets send if so.
// First it is sent under the same key. A provider may repeat the same error for a key, so later it is sent under a new
// key. Before that, AbsentAfter must have passed since the last sending, so that the earlier one can't be carried out
// any more.
func (s *Service) prepareResend(ctx context.Context, a attempt) (attempt, error) {
	provider, err := s.provider(a.payment.Provider)
	if err != nil {
		return a, err
	}
	read := balanceRead{Payment: &a.payment.PaymentID}
	err = s.ofBalance(ctx, nil, a.tenant, a.payment.BookingID, read,
		func(tx *db.BalanceTx, st balanceState) error {
			if st.Payment == nil || st.Payment.Fence != a.payment.Fence {
				return errLeaseLost
			}
			p := *st.Payment
			age, unknown := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
			switch {
			case age < s.resendWindow(provider) && (!unknown || age < s.cfg.AbsentAfter):
			case st.Now.Sub(p.LastSentAt) >= s.cfg.AbsentAfter:
				p.FirstSentAt = st.Now
			default:
				return nil
			}
			p.LastSentAt, p.LeasedUntil = st.Now, st.Now.Add(s.lease())
			takePayment(tx, p, p.Fence)
			a.payment, a.send = p, true
			return nil
		})
	return a, err
}

package sandbox

import (
	"net/http"

	"holdfast/internal/payment"
)

// cancelCharge cancels a charge that waits for its customer, and returns the charge. Any other charge stays unchanged.
func (s *Server) cancelCharge(r *http.Request, fault FaultKind) response {
	if fault == ErrorDuring {
		return injectedError
	}
	c, err := s.chargeIn(r)
	if err == nil {
		c, _, err = s.endCharge(c.ID, payment.Cancelled)
	}
	return s.lookupResponse(c, err)
}

// endCharge ends a charge that waits for its customer: it succeeds, or is declined if there is a code. It returns the
// charge, and whether it waited. A charge that didn't wait stays unchanged. One whose page is over is cancelled.
func (s *Server) endCharge(id, declineCode string) (c charge, waited bool, err error) {
	err = s.journal.write(func(e entries) (err error) {
		c, err = e.charge(id)
		waited = c.Status == requiresAction
		if err != nil || !waited {
			return err
		}
		now := s.cfg.Now().UTC()
		code := declineCode
		if c.ended(now) {
			code, waited = payment.Cancelled, false
		}
		c.Status, c.UpdatedAt = succeeded, now
		if code != "" {
			c.Status, c.DeclineCode, c.TryAgain = declined, code, true
		}
		return s.saveCharge(e, c)
	})
	s.webhooks.wakeUp()
	return c, waited, err
}

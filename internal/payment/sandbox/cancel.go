package sandbox

import (
	"net/http"
	"time"

	"holdfast/internal/payment"
)

// cancelCharge cancels a charge that waits for its customer, and returns the charge. Any other charge stays unchanged.
func (s *Server) cancelCharge(r *http.Request, fault FaultKind) response {
	var c charge
	if fault == ErrorDuring {
		return errorResponse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.")
	}
	err := s.journal.write(func(e entries) (err error) {
		if c, err = e.charge(r.PathValue("id")); err != nil || c.Status != requiresAction {
			return err
		}
		c.cancel(s.cfg.Now().UTC())
		return s.saveCharge(e, c)
	})
	s.webhooks.wakeUp()
	return s.lookupResponse(c, err)
}

func (c *charge) cancel(now time.Time) {
	c.Status, c.DeclineCode, c.TryAgain, c.UpdatedAt = declined, payment.Cancelled, true, now
}

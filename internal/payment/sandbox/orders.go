package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"
)

func (s *Server) createCharge(r *http.Request, fault FaultKind) response {
	var q chargeRequest
	if err := decode(r, &q); err != nil {
		return s.failure(err)
	}
	if err := checkOrder(q.Reference, q.Amount, q.Currency, q.Description); err != nil {
		return s.failure(err)
	}
	m, known := methods[q.Method]
	switch err := s.checkCharge(r, q); {
	case err != nil:
		return s.failure(err)
	case q.Checkout != nil && q.Method != "":
		return errorResponse(http.StatusBadRequest, codeInvalid, "A charge has a method or a checkout.")
	case q.Checkout != nil:
		if err := q.Checkout.check(); err != nil {
			return s.failure(err)
		}
		m = method{status: requiresAction}
	case !known:
		return errorResponse(http.StatusBadRequest, codeUnknownMethod,
			"There is no such payment method; the sandbox has test methods only, such as pm_ok.")
	}
	resp := s.executeOnce(r, order{
		params: q,
		wait:   func(ctx context.Context) bool { return s.waitToCharge(ctx, m) },
		execute: func(e entries, now time.Time) (any, error) {
			c := charge{
				ID:            "ch_" + rand.Text(),
				Account:       accountOf(r),
				chargeRequest: q,
				Status:        m.status,
				DeclineCode:   m.declineCode,
				TryAgain:      m.tryAgain,
				CreatedAt:     now,
				UpdatedAt:     now,
			}
			if err := s.saveCharge(e, c); err != nil {
				return nil, err
			}
			return withActionURL(r, c), nil
		},
	}, fault)
	if m.unanswered && !resp.replayed && resp.status == http.StatusCreated {
		s.waitForDisconnect(r.Context())
		return response{disconnect: true}
	}
	return resp
}

// waitToCharge waits as the method demands, and reports whether the charge is to be made.
func (s *Server) waitToCharge(ctx context.Context, m method) bool {
	if m.status == "" {
		s.waitForDisconnect(ctx)
		return false
	}
	return !m.slow || s.sleep(s.cfg.SlowDelay)
}

// waitForDisconnect returns when the client has disconnected or the server closes.
func (s *Server) waitForDisconnect(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.closing.Done():
	}
}

// sleep reports whether d has passed; false means that the server is closing. A client that disconnects doesn't shorten
// the wait.
func (s *Server) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.closing.Done():
		return false
	}
}

// saveCharge writes a charge, its transaction and its event.
func (s *Server) saveCharge(e entries, c charge) error {
	if err := e.putCharge(c); err != nil || c.Status == requiresAction {
		return err
	}
	if c.Status == succeeded {
		if err := e.putByTime(bucketTransactions, c.UpdatedAt, c.transaction()); err != nil {
			return err
		}
	}
	return s.queueEvent(e, c.event("evt_"+rand.Text()))
}

func (s *Server) createRefund(r *http.Request, fault FaultKind) response {
	var q refundRequest
	if err := decode(r, &q); err != nil {
		return s.failure(err)
	}
	if err := checkOrder(q.Reference, q.Amount, q.Currency, ""); err != nil {
		return s.failure(err)
	}
	charged, err := s.journal.charge(q.Charge)
	switch {
	case errors.Is(err, errNotFound), err == nil && charged.Account != accountOf(r):
		return errorResponse(http.StatusNotFound, codeNotFound, "There is no such charge.")
	case err != nil:
		return s.failure(err)
	case charged.Currency != q.Currency:
		return errorResponse(http.StatusBadRequest, codeInvalid, "A refund has its charge's currency.")
	}
	return s.executeOnce(r, order{params: q, execute: func(e entries, now time.Time) (any, error) {
		c, err := e.charge(q.Charge)
		if err != nil {
			return nil, err
		}
		made := c.refund("re_"+rand.Text(), q, now)
		return made, s.saveRefund(e, c, made)
	}}, fault)
}

func (s *Server) saveRefund(e entries, c charge, r refund) error {
	if err := e.putIndexed(bucketByRefund, bucketRefunds, r.Reference, r.ID, r); err != nil {
		return err
	}
	if r.Status == succeeded {
		c.Refunded += r.Amount
		if r.ReturnFee {
			c.FeeReturned = share(c.ApplicationFee, c.Refunded, c.Amount)
		}
		if err := errors.Join(e.putCharge(c),
			e.putByTime(bucketTransactions, r.CreatedAt, r.transaction())); err != nil {
			return err
		}
	}
	return s.queueEvent(e, r.event("evt_"+rand.Text()))
}

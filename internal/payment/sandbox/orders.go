package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"golang.org/x/text/currency"
)

func (s *Server) createCharge(r *http.Request, fault FaultKind) response {
	var q chargeRequest
	if refusal := decode(r, &q); refusal != nil {
		return *refusal
	}
	if err := cmp.Or(q.Reference.check(), checkMoney(q.Amount, q.Currency), checkDescription(q.Description)); err != nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	m, known := methods[q.Method]
	if !known {
		return errorResponse(http.StatusBadRequest, codeUnknownMethod, "There is no such payment method; the sandbox has test methods only, such as pm_ok.")
	}
	resp := s.executeOnce(r, order{
		params: q,
		wait:   func(ctx context.Context) bool { return s.waitToCharge(ctx, m) },
		execute: func(e entries, now time.Time) (any, error) {
			c := m.charge("ch_"+rand.Text(), q, now)
			if err := s.saveCharge(e, c); err != nil {
				return nil, err
			}
			if c.Status == requiresAction {
				c.ActionURL = actionURL(r, c.ID)
			}
			return c, nil
		},
	}, fault)
	if m.unanswered == unansweredAfterCharge && !resp.replayed && resp.status == http.StatusCreated {
		s.waitForDisconnect(r.Context())
		return response{disconnect: true}
	}
	return resp
}

// waitToCharge waits as the method demands, and reports whether the charge is to be made.
func (s *Server) waitToCharge(ctx context.Context, m method) bool {
	if m.unanswered == unansweredBeforeCharge {
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

// sleep reports whether d has passed; false means that the server is closing. A client that disconnects doesn't shorten the
// wait.
func (s *Server) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
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
		if err := e.putTransaction(c.transaction()); err != nil {
			return err
		}
	}
	return s.queueEvent(e, c.event("evt_"+rand.Text()))
}

func (s *Server) createRefund(r *http.Request, fault FaultKind) response {
	var q refundRequest
	if refusal := decode(r, &q); refusal != nil {
		return *refusal
	}
	if err := cmp.Or(q.Reference.check(), checkMoney(q.Amount, q.Currency)); err != nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	var charged charge
	err := s.journal.read(func(e entries) (err error) {
		charged, err = e.charge(q.Charge)
		return err
	})
	switch {
	case errors.Is(err, errNotFound):
		return errorResponse(http.StatusNotFound, codeNotFound, "There is no such charge.")
	case err != nil:
		return s.journalError(err)
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
	if err := e.putRefund(r); err != nil {
		return err
	}
	if r.Status == succeeded {
		c.Refunded += r.Amount
		if err := errors.Join(e.putCharge(c), e.putTransaction(r.transaction())); err != nil {
			return err
		}
	}
	return s.queueEvent(e, r.event("evt_"+rand.Text()))
}

// order is a valid request for a charge or refund.
type order struct {
	// params are compared with those of earlier requests with the same key.
	params any
	// wait runs before execution, if set. If it returns false, the order is not executed and the connection is closed.
	wait func(context.Context) bool
	// execute writes the order and its outcome and returns the response's body. It may run twice.
	execute func(entries, time.Time) (any, error)
}

// executeOnce executes an order once for its idempotency key. It writes the order, its outcome and the key's result in one
// transaction.
func (s *Server) executeOnce(r *http.Request, o order, fault FaultKind) response {
	key := r.Header.Get(headerIdempotencyKey)
	if key == "" || len(key) > maxKeyLength {
		return errorResponse(http.StatusBadRequest, codeInvalid, fmt.Sprintf("Idempotency-Key is needed, of 1 to %d bytes.", maxKeyLength))
	}
	fingerprint, err := fingerprint(r.URL.Path, o.params)
	if err != nil {
		return s.journalError(err)
	}
	if !s.running.acquire(key) {
		return errorResponse(http.StatusConflict, codeKeyInUse, "The first request with this idempotency key is still running.")
	}
	defer s.running.release(key)
	before, err := s.resultOf(key)
	switch {
	case err != nil && !errors.Is(err, errNotFound):
		return s.journalError(err)
	case err == nil && before.Fingerprint != fingerprint:
		return errorResponse(http.StatusBadRequest, codeKeyReused, "This idempotency key was used with other parameters.")
	case err == nil:
		return response{status: before.Status, body: before.Body, replayed: true}
	}
	if o.wait != nil && !o.wait(r.Context()) {
		return response{disconnect: true}
	}
	var resp response
	err = s.journal.write(func(e entries) error {
		now := s.cfg.Now().UTC()
		resp = errorResponse(http.StatusInternalServerError, codeInternal, "Something went wrong, as was asked for.")
		if fault != ErrorDuring {
			made, err := o.execute(e, now)
			if err != nil {
				return err
			}
			if fault != ErrorAfter {
				resp = jsonResponse(http.StatusCreated, made)
			}
		}
		return e.putResult(key, result{Fingerprint: fingerprint, Status: resp.status, Body: resp.body, FirstUsedAt: now})
	})
	if err != nil {
		return s.journalError(err)
	}
	s.webhooks.wakeUp()
	return resp
}

// resultOf returns a key's result, or errNotFound if the key is new or has expired.
func (s *Server) resultOf(key string) (found result, err error) {
	err = s.journal.read(func(e entries) (err error) {
		found, err = e.result(key)
		return err
	})
	if err == nil && s.cfg.Now().Sub(found.FirstUsedAt) >= s.cfg.KeyLifetime {
		err = errNotFound
	}
	return found, err
}

func fingerprint(path string, params any) (string, error) {
	raw, err := json.Marshal(params)
	hash := sha256.Sum256(append([]byte(path+"\n"), raw...))
	return hex.EncodeToString(hash[:]), err
}

func (r reference) check() error {
	if r.TenantID == uuid.Nil || r.ID == uuid.Nil {
		return errors.New("reference needs a tenant_id and an id")
	}
	return nil
}

func checkMoney(amount int64, code string) error {
	if amount <= 0 {
		return errors.New("amount must be positive, in minor units of the currency")
	}
	if _, err := currency.ParseISO(code); err != nil || strings.ToUpper(code) != code {
		return errors.New("currency must be an ISO 4217 code in capitals")
	}
	return nil
}

func checkDescription(text string) error {
	if utf8.RuneCountInString(text) > maxDescription {
		return fmt.Errorf("description has more than %d characters", maxDescription)
	}
	return nil
}

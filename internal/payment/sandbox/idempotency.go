package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// order is a valid request for a charge or refund.
type order struct {
	// params are compared with those of earlier requests with the same key.
	params any
	// wait runs before execution, if set. If it returns false, the order is not executed and the connection is closed.
	wait func(context.Context) bool
	// execute writes the order and its outcome and returns the response's body. It may run twice.
	execute func(entries, time.Time) (any, error)
}

// executeOnce executes an order once for its idempotency key. It writes the order, its outcome and the key's result in
// one transaction.
func (s *Server) executeOnce(r *http.Request, o order, fault FaultKind) response {
	key := r.Header.Get(headerIdempotencyKey)
	if key == "" || len(key) > maxKeyLength {
		return errorResponse(http.StatusBadRequest, codeInvalid,
			fmt.Sprintf("Idempotency-Key is needed, of 1 to %d bytes.", maxKeyLength))
	}
	fingerprint, err := fingerprint(r.URL.Path, o.params)
	if err != nil {
		return s.failure(err)
	}
	key = accountOf(r) + key // as at a real provider, each account has keys of its own
	if _, busy := s.running.LoadOrStore(key, true); busy {
		return errorResponse(http.StatusConflict, codeKeyInUse,
			"The first request with this idempotency key is still running.")
	}
	defer s.running.Delete(key)
	before, err := s.resultOf(key)
	switch {
	case err != nil && !errors.Is(err, errNotFound):
		return s.failure(err)
	case err == nil && before.Fingerprint != fingerprint:
		return errorResponse(http.StatusBadRequest, codeKeyReused,
			"This idempotency key was used with other parameters.")
	case err == nil:
		return response{status: before.Status, body: before.Body, replayed: true}
	}
	if o.wait != nil && !o.wait(r.Context()) {
		return response{disconnect: true}
	}
	var resp response
	err = s.journal.write(func(e entries) error {
		now := s.cfg.Now().UTC()
		resp = injectedError
		if fault != ErrorDuring {
			made, err := o.execute(e, now)
			if err != nil {
				return err
			}
			if fault != ErrorAfter {
				resp = jsonResponse(http.StatusCreated, made)
			}
		}
		return e.write(bucketKeys, []byte(key),
			result{Fingerprint: fingerprint, Status: resp.status, Body: resp.body, FirstUsedAt: now})
	})
	if err != nil {
		return s.failure(err)
	}
	s.webhooks.wakeUp()
	return resp
}

// resultOf returns a key's result, or errNotFound if the key is new or has expired.
func (s *Server) resultOf(key string) (result, error) {
	found, err := read(s.journal, func(e entries) (result, error) { return get[result](e, bucketKeys, key) })
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

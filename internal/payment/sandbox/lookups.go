package sandbox

import (
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
)

func (s *Server) getCharge(r *http.Request, _ FaultKind) response {
	var c charge
	err := s.journal.read(func(e entries) (err error) {
		c, err = e.charge(r.PathValue("id"))
		return err
	})
	return s.lookupResponse(withActionURL(r, c), err)
}

func (s *Server) getRefund(r *http.Request, _ FaultKind) response {
	var found refund
	err := s.journal.read(func(e entries) (err error) {
		found, err = e.refund(r.PathValue("id"))
		return err
	})
	return s.lookupResponse(found, err)
}

func (s *Server) listCharges(r *http.Request, _ FaultKind) response {
	ref, failed := referenceOf(r.URL.Query())
	if failed != nil {
		return *failed
	}
	var all []charge
	err := s.journal.read(func(e entries) (err error) {
		all, err = byReference[charge](e, bucketByCharge, bucketCharges, ref)
		return err
	})
	for i := range all {
		all[i] = withActionURL(r, all[i])
	}
	return s.lookupResponse(list[charge]{Data: all}, err)
}

func (s *Server) listRefunds(r *http.Request, _ FaultKind) response {
	ref, failed := referenceOf(r.URL.Query())
	if failed != nil {
		return *failed
	}
	var all []refund
	err := s.journal.read(func(e entries) (err error) {
		all, err = byReference[refund](e, bucketByRefund, bucketRefunds, ref)
		return err
	})
	return s.lookupResponse(list[refund]{Data: all}, err)
}

func (s *Server) listTransactions(r *http.Request, _ FaultKind) response {
	start, end, limit, err := pageOf(r.URL.Query())
	if err != nil {
		return errorResponse(http.StatusBadRequest, codeInvalid, err.Error())
	}
	var page list[transaction]
	err = s.journal.read(func(e entries) error {
		data, next, err := e.transactions(start, end, limit)
		page = list[transaction]{Data: data, NextCursor: hex.EncodeToString(next)}
		return err
	})
	return s.lookupResponse(page, err)
}

// pageOf reads a page's bounds. Without from and until the page covers all times.
func pageOf(query url.Values) (start, end []byte, limit int, err error) {
	times := map[string]time.Time{fromParameter: {}, untilParameter: maxTime}
	for name := range times {
		if text := query.Get(name); text != "" {
			if times[name], err = time.Parse(time.RFC3339Nano, text); err != nil {
				return nil, nil, 0, errors.New("from and until must be times as of RFC 3339")
			}
		}
	}
	start, end, limit = timePrefix(times[fromParameter]), timePrefix(times[untilParameter]), defaultPage
	if text := query.Get(limitParameter); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return nil, nil, 0, errors.New("limit must be a number from 1 to " + strconv.Itoa(maxPage))
		}
	}
	if text := query.Get(cursorParameter); text != "" {
		if start, err = hex.DecodeString(text); err != nil || len(start) != 2*len(end) {
			return nil, nil, 0, errors.New("cursor must be a page's next_cursor")
		}
	}
	return start, end, limit, nil
}

func referenceOf(query url.Values) (reference, *response) {
	tenant, err := uuid.Parse(query.Get(tenantParameter))
	id, err2 := uuid.Parse(query.Get(idParameter))
	if err != nil || err2 != nil {
		resp := errorResponse(http.StatusBadRequest, codeInvalid, "tenant_id and reference_id are needed, and are UUIDs.")
		return reference{}, &resp
	}
	return reference{TenantID: tenant, ID: id}, nil
}

// lookupResponse returns the response to a look-up.
func (s *Server) lookupResponse(v any, err error) response {
	switch {
	case errors.Is(err, errNotFound):
		return errorResponse(http.StatusNotFound, codeNotFound, "There is no such thing.")
	case err != nil:
		return s.journalError(err)
	}
	return jsonResponse(http.StatusOK, v)
}

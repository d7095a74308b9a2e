package sandbox

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
)

func (s *Server) getCharge(r *http.Request, _ FaultKind) response {
	c, err := s.current(s.chargeIn(r))
	return s.lookupResponse(withActionURL(r, c), err)
}

func (s *Server) getRefund(r *http.Request, _ FaultKind) response {
	found, err := read(s.journal,
		func(e entries) (refund, error) { return get[refund](e, bucketRefunds, r.PathValue("id")) })
	if err == nil && found.Account != accountOf(r) {
		err = errNotFound
	}
	return s.lookupResponse(found, err)
}

func (s *Server) listCharges(r *http.Request, _ FaultKind) response {
	all, err := listByReference[charge](s, r, bucketByCharge, bucketCharges)
	all.Data = slices.DeleteFunc(all.Data, func(c charge) bool { return c.Account != accountOf(r) })
	for i := range all.Data {
		if err == nil {
			all.Data[i], err = s.current(all.Data[i], nil)
		}
		all.Data[i] = withActionURL(r, all.Data[i])
	}
	return s.lookupResponse(all, err)
}

func (s *Server) listRefunds(r *http.Request, _ FaultKind) response {
	all, err := listByReference[refund](s, r, bucketByRefund, bucketRefunds)
	all.Data = slices.DeleteFunc(all.Data, func(one refund) bool { return one.Account != accountOf(r) })
	return s.lookupResponse(all, err)
}

func listByReference[T any](s *Server, r *http.Request, index, bucket string) (list[T], error) {
	query := r.URL.Query()
	tenant, err := uuid.Parse(query.Get(tenantParameter))
	id, err2 := uuid.Parse(query.Get(idParameter))
	if err != nil || err2 != nil {
		return list[T]{}, invalid("tenant_id and reference_id are needed, and are UUIDs.")
	}
	return read(s.journal, func(e entries) (list[T], error) {
		all, err := byReference[T](e, index, bucket, reference{TenantID: tenant, ID: id})
		return list[T]{Data: all}, err
	})
}

func (s *Server) listTransactions(r *http.Request, _ FaultKind) response {
	start, end, limit, err := pageOf(r.URL.Query())
	if err != nil {
		return s.failure(err)
	}
	page, err := read(s.journal, func(e entries) (list[transaction], error) {
		data, next, err := e.transactions(accountOf(r), start, end, limit)
		return list[transaction]{Data: data, NextCursor: hex.EncodeToString(next)}, err
	})
	return s.lookupResponse(page, err)
}

// pageOf reads a page's bounds. Without from and until the page covers all times.
func pageOf(query url.Values) (start, end []byte, limit int, err error) {
	times := map[string]time.Time{fromParameter: {}, untilParameter: maxTime}
	for name := range times {
		if text := query.Get(name); text != "" {
			if times[name], err = time.Parse(time.RFC3339Nano, text); err != nil {
				return nil, nil, 0, invalid("from and until must be times as of RFC 3339")
			}
		}
	}
	start, end, limit = timePrefix(times[fromParameter]), timePrefix(times[untilParameter]), defaultPage
	if text := query.Get(limitParameter); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return nil, nil, 0, invalid("limit must be a number from 1 to " + strconv.Itoa(maxPage))
		}
	}
	if text := query.Get(cursorParameter); text != "" {
		if start, err = hex.DecodeString(text); err != nil || len(start) != 2*len(end) {
			return nil, nil, 0, invalid("cursor must be a page's next_cursor")
		}
	}
	return start, end, limit, nil
}

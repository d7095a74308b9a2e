package change

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
)

// History returns the entries of a subject's history that follow a version, at most limit, the oldest first. Errors:
// problem.DatabaseUnavailable.
func (s *Service) History(ctx context.Context, tenant, subject uuid.UUID, after int64, limit int,
) ([]HistoryEntry, error) {
	before, changes, err := OfSubject(ctx, s.db, tenant, subject, after, limit)
	if err != nil {
		return nil, err
	}
	list := make([]HistoryEntry, len(changes))
	for i := range changes {
		if list[i], err = Entry(before, &changes[i]); err != nil {
			return nil, err
		}
		before = &changes[i]
	}
	return list, s.nameUsers(ctx, tenant, list)
}

// nameUsers fills in the names of the users in a history.
func (s *Service) nameUsers(ctx context.Context, tenant uuid.UUID, list []HistoryEntry) error {
	var ids []uuid.UUID
	for _, e := range list {
		if e.User != nil {
			ids = append(ids, e.User.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	names, err := s.userNames(ctx, tenant, ids)
	for _, e := range list {
		if e.User != nil {
			e.User.Name = names[e.User.ID]
		}
	}
	return err
}

// Entry returns the entry of a history that tells of a change: the fields in which it differs from the change before
// it. Without one, it has all fields. The version itself and updated_at are left out of the comparison: they differ
// each time.
func Entry(before, c *Record) (HistoryEntry, error) {
	e := HistoryEntry{Version: c.Version, Action: c.Type, APIKeyID: c.ApiKeyID, RequestID: c.RequestID,
		Operator:   c.Operator,
		OccurredAt: c.OccurredAt.UTC()}
	if c.UserID != nil {
		e.User = &PersonBody{ID: *c.UserID}
	}
	now, err := fieldsOf(c)
	if err != nil {
		return e, err
	}
	if before != nil {
		old, err := fieldsOf(before)
		if err != nil {
			return e, err
		}
		for _, always := range []string{"version", "updated_at"} {
			delete(old, always)
			delete(now, always)
		}
		for name, value := range now {
			if former, ok := old[name]; ok && bytes.Equal(former, value) {
				delete(old, name)
				delete(now, name)
			}
		}
		if e.Before, err = json.Marshal(old); err != nil {
			return e, fmt.Errorf("encode an entry of a history: %w", err)
		}
	}
	if e.After, err = json.Marshal(now); err != nil {
		return e, fmt.Errorf("encode an entry of a history: %w", err)
	}
	return e, nil
}

// fieldsOf returns the fields of a subject after a change, as its history shows them. A booking's history names the
// customer by id only, so that it shows no change of the customer; and not the payment, which has an id of its own.
func fieldsOf(c *Record) (fields map[string]json.RawMessage, err error) {
	var compact bytes.Buffer // white space is no difference
	if err = json.Compact(&compact, c.Data); err == nil {
		err = json.Unmarshal(compact.Bytes(), &fields)
	}
	if customer, ok := fields["customer"]; ok && err == nil {
		var named struct {
			ID json.RawMessage `json:"id"`
		}
		err = json.Unmarshal(customer, &named)
		fields["customer_id"] = named.ID
	}
	if err != nil {
		return nil, fmt.Errorf("read the fields of a history's subject: %w", err)
	}
	delete(fields, "customer")
	delete(fields, "payment")
	return fields, nil
}

// Package history tells who changed what and when: an entry for each version of a booking, customer, service, resource or closure, written in the
// commit of the change.
//
// An entry holds the fields of the subject's API representation that the change changed, before and after it. The version itself and
// updated_at are left out: they change each time. The entry of a creation holds the whole representation. The packages that change subjects
// make the entries; this one compares and lists.
package history

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/store"
)

// Entry returns the entry of a change that took a subject to a version. before and after are the subject's API representations; a nil
// before is that of a creation.
func Entry(action, subjectType string, subject uuid.UUID, version int64, before, after any) (store.HistoryEntry, error) {
	e := store.HistoryEntry{SubjectType: subjectType, SubjectID: subject, Version: version, Action: action}
	if before == nil {
		encoded, err := json.Marshal(after)
		if err != nil {
			return e, fmt.Errorf("encode an entry of the history: %w", err)
		}
		e.After = encoded
		return e, nil
	}
	old, err := fieldsOf(before)
	if err != nil {
		return e, err
	}
	now, err := fieldsOf(after)
	if err != nil {
		return e, err
	}
	for name, value := range now {
		if former, ok := old[name]; ok && string(former) == string(value) {
			delete(old, name)
			delete(now, name)
		}
	}
	if e.After, err = json.Marshal(now); err != nil {
		return e, fmt.Errorf("encode an entry of the history: %w", err)
	}
	if e.Before, err = json.Marshal(old); err != nil {
		return e, fmt.Errorf("encode an entry of the history: %w", err)
	}
	return e, nil
}

// fieldsOf returns the fields of a representation but those that each change changes.
func fieldsOf(representation any) (fields map[string]json.RawMessage, err error) {
	encoded, err := json.Marshal(representation)
	if err == nil {
		err = json.Unmarshal(encoded, &fields)
	}
	if err != nil {
		return nil, fmt.Errorf("read the fields of a history's subject: %w", err)
	}
	delete(fields, "version")
	delete(fields, "updated_at")
	return fields, nil
}

// Service reads histories. It is safe for concurrent use.
type Service struct{ store *store.Store }

// NewService returns the histories of s.
func NewService(s *store.Store) *Service { return &Service{store: s} }

// List returns the entries of a subject that follow a version, at most limit, the oldest first. Errors: problem.DatabaseUnavailable.
func (s *Service) List(ctx context.Context, tenant, subject uuid.UUID, after int64, limit int) ([]ChangeBody, error) {
	rows, err := s.store.History(ctx, tenant, subject, after, limit)
	if err != nil {
		return nil, err
	}
	list := make([]ChangeBody, len(rows))
	for i, row := range rows {
		list[i] = BodyOf(row)
	}
	return list, nil
}

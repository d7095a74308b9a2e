package tenant

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// maxUses bounds the keys whose use is remembered until it is recorded.
const maxUses = 10_000

// usedKey names an API key.
type usedKey struct{ tenant, id uuid.UUID }

// uses are the API keys that were used since their use was recorded. Its zero value is ready.
type uses struct {
	mu   sync.Mutex
	keys map[usedKey]struct{}
}

// note remembers that a tenant's key was used. Beyond maxUses keys it does nothing.
func (u *uses) note(t Tenant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil {
		u.keys = make(map[usedKey]struct{})
	}
	if len(u.keys) < maxUses {
		u.keys[usedKey{tenant: t.ID, id: t.KeyID}] = struct{}{}
	}
}

// take returns the keys that were noted since the last take.
func (u *uses) take() []usedKey {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.keys
	u.keys = nil
	return slices.Collect(maps.Keys(taken))
}

// RecordUses records which API keys this process authenticated since the last call: as used now, unless it was recorded
// within the last half minute. Run it about once a minute. Uses that can't be recorded are forgotten. more is always
// false. Errors: problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Service) RecordUses(ctx context.Context) (more bool, err error) {
	keys := s.uses.take()
	if len(keys) == 0 {
		return false, nil
	}
	return false, recordUses(ctx, s.db, keys)
}

package tenant

import (
	"context"
	"maps"
	"slices"
	"sync"

	"holdfast/internal/db/store"
)

// maxUses bounds the keys whose use is remembered until it is recorded.
const maxUses = 10_000

// uses are the API keys that were used since their use was recorded. Its zero value is ready.
type uses struct {
	mu   sync.Mutex
	keys map[store.APIKeyName]struct{}
}

// note remembers that a tenant's key was used. Beyond maxUses keys it does nothing.
func (u *uses) note(t Tenant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil {
		u.keys = make(map[store.APIKeyName]struct{})
	}
	if len(u.keys) < maxUses {
		u.keys[store.APIKeyName{TenantID: t.ID, APIKeyID: t.KeyID}] = struct{}{}
	}
}

// take returns the keys that were noted since the last take.
func (u *uses) take() []store.APIKeyName {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.keys
	u.keys = nil
	return slices.Collect(maps.Keys(taken))
}

// RecordUses records which API keys this process authenticated since the last call: as used now, unless it was recorded within the last
// half minute. Run it about once a minute. Uses that can't be recorded are forgotten. more is always false. Errors:
// problem.DatabaseUnavailable, problem.OutcomeUnknown.
func (s *Service) RecordUses(ctx context.Context) (more bool, err error) {
	keys := s.uses.take()
	if len(keys) == 0 {
		return false, nil
	}
	return false, s.store.RecordAPIKeyUses(ctx, keys)
}

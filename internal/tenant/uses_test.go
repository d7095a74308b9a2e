package tenant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
)

// record records the uses of keys and returns when a key was last used.
func (b *testBundle) record(t *testing.T, s *tenant.Service, key tenant.NewAPIKeyBody) *time.Time {
	t.Helper()
	more, err := s.RecordUses(t.Context())
	require.NoError(t, err)
	require.False(t, more)
	return b.stored(t, key.ID).LastUsedAt
}

func TestRecordUses_KeysOfSeveralTenants_AreRecordedOnceUsed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, unused := b.newKey(t, operation.ScopeRead), b.newKey(t, operation.ScopeRead)
	pier := b.newTenant(t, "pier")
	require.Nil(t, b.record(t, b.service, made))
	began := testtime.Now().Truncate(time.Microsecond)
	for range 3 {
		b.authenticate(t, made.APIKey)
		b.authenticate(t, pier.APIKey)
	}
	// a wrong secret is no use of the key
	_, err := b.service.Authenticate(t.Context(), unused.APIKey[:len(unused.APIKey)-1]+"x")
	require.Error(t, err)
	require.WithinRange(t, *b.record(t, b.service, made), began, testtime.Now())
	require.Nil(t, b.stored(t, unused.ID).LastUsedAt)
	theirs, err := b.service.Key(t.Context(), tenant.Tenant{ID: pier.ID}, pier.APIKeyID)
	require.NoError(t, err)
	require.NotNil(t, theirs.LastUsedAt)
}

func TestRecordUses_UsedAgain_IsWrittenAtMostEveryHalfMinute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newKey(t, operation.ScopeRead)
	b.authenticate(t, made.APIKey)
	first := b.record(t, b.service, made)
	other := b.another(t)
	for _, s := range []*tenant.Service{b.service, other} {
		_, err := s.Authenticate(t.Context(), made.APIKey)
		require.NoError(t, err)
		require.Equal(t, first, b.record(t, s, made))
	}
	_, err := b.sql.Exec(t.Context(),
		"UPDATE api_keys SET last_used_at = now() - interval '31 seconds' WHERE api_key_id = $1", made.ID)
	require.NoError(t, err)
	older := b.record(t, b.service, made)
	require.True(t, older.Before(*first), "it was not used since")
	b.authenticate(t, made.APIKey)
	require.True(t, b.record(t, b.service, made).After(*older))
}

func TestRecordUses_RowIsBeingChanged_IsLeftOutAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, other := b.newKey(t, operation.ScopeRead), b.newKey(t, operation.ScopeRead)
	b.authenticate(t, made.APIKey)
	b.authenticate(t, other.APIKey)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE api_keys SET name = 'Office' WHERE api_key_id = $1", made.ID)
	require.NoError(t, err)
	require.NotNil(t, b.record(t, b.service, other))
	require.NoError(t, tx.Rollback(t.Context()))
	require.Nil(t, b.stored(t, made.ID).LastUsedAt)
}

package tenant_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

var readAndAdmin = []operation.Scope{operation.ScopeRead, operation.ScopeAdmin}

func TestCreate_FirstKey_HasAllScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, tenant.AllScopes(), b.tenant.Scopes)
	keys, err := b.service.Keys(t.Context(), b.tenant.ID, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, b.tenant.KeyID, keys[0].ID)
	require.Equal(t, tenant.AllScopes(), keys[0].Scopes)
	require.Nil(t, keys[0].LastUsedAt)
}

func TestCreateKey_ScopesInAnyOrder_AuthenticatesWithTheseScopesOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newKey(t, operation.ScopeBook, operation.ScopeRead)
	require.Equal(t, []operation.Scope{operation.ScopeRead, operation.ScopeBook}, made.Scopes)
	require.Equal(t, "Till", made.Name)
	for range 2 { // looked up, and remembered
		found := b.authenticate(t, made.APIKey)
		require.Equal(t, b.tenant.ID, found.ID)
		require.Equal(t, made.ID, found.KeyID)
		require.Equal(t, tenant.Scopes{operation.ScopeRead, operation.ScopeBook}, found.Scopes)
	}
}

func TestCreateKey_RequestIsRepeated_IsAnsweredWithoutTheKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := request(t)
	n := tenant.KeyRequest{Name: "Till", Scopes: readAndAdmin}
	first, err := b.service.CreateKey(t.Context(), b.tenant, r, n)
	require.NoError(t, err)
	second, err := b.another(t).CreateKey(t.Context(), b.tenant, r, n)
	require.NoError(t, err)
	require.True(t, second.Replayed)
	require.Equal(t, first.Answer().Location, second.Answer().Location)
	shown, replayed := bodyOf[tenant.NewAPIKeyBody](t, first), bodyOf[tenant.NewAPIKeyBody](t, second)
	require.NotEmpty(t, shown.APIKey)
	require.Empty(t, replayed.APIKey)
	require.Equal(t, shown.APIKeyBody, replayed.APIKeyBody)
}

// TestCreateKey_CommitIsCutOff_AnswersWithTheKey loses the answer to COMMIT. The request runs again, and finds the
// response that it has stored itself.
func TestCreateKey_CommitIsCutOff_AnswersWithTheKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	proxy := dbtest.NewProxy(t, b.url)
	var cut atomic.Bool
	proxy.AfterCommit = func() bool { return cut.CompareAndSwap(true, false) }
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 2, LockTimeout: time.Minute})
	cut.Store(true)
	r := request(t)
	n := tenant.KeyRequest{Name: "Till", Scopes: readAndAdmin}
	made, err := tenant.NewService(s).CreateKey(t.Context(), b.tenant, r, n)
	require.NoError(t, err)
	require.False(t, cut.Load(), "the commit was cut off")
	require.False(t, made.Replayed, "no earlier request made it")
	key := bodyOf[tenant.NewAPIKeyBody](t, made)
	require.Equal(t, key.ID, b.authenticate(t, key.APIKey).KeyID)
	again, err := b.service.CreateKey(t.Context(), b.tenant, r, n)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Empty(t, bodyOf[tenant.NewAPIKeyBody](t, again).APIKey)
}

// TestIssueKey_AnotherProcessServesTheRequestFirst_AnswersWithoutItsKey has one process decide and then lose its key to
// another one, which is sent the same request meanwhile. The key that the first process made is nowhere.
func TestIssueKey_AnotherProcessServesTheRequestFirst_AnswersWithoutItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r, n := request(t), tenant.IssueRequest{Name: "Till", Scopes: readAndAdmin}
	proxy := dbtest.NewProxy(t, b.url)
	var won idempotency.Outcome
	var err error
	var once sync.Once
	proxy.Before = func(sql string) {
		if strings.HasPrefix(sql, "-- name: IdempotencyInsert ") {
			once.Do(func() { won, err = b.service.IssueKey(t.Context(), r, b.tenant.ID, n) })
		}
	}
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 2, LockTimeout: time.Minute})
	lost, lostErr := tenant.NewService(s).IssueKey(t.Context(), r, b.tenant.ID, n)
	require.NoError(t, err)
	require.NoError(t, lostErr)
	require.True(t, lost.Replayed)
	require.Equal(t, won.ID, lost.ID)
	require.Empty(t, bodyOf[tenant.NewAPIKeyBody](t, lost).APIKey)
	require.NotEmpty(t, bodyOf[tenant.NewAPIKeyBody](t, won).APIKey)
}

func TestCreateKey_BadNameOrScopes_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, n := range map[string]tenant.KeyRequest{
		"no scope":      {Name: "Till"},
		"long name":     {Name: strings.Repeat("x", 201), Scopes: readAndAdmin},
		"unknown scope": {Name: "Till", Scopes: []operation.Scope{"write"}},
		"scope twice":   {Name: "Till", Scopes: []operation.Scope{operation.ScopeRead, operation.ScopeRead}},
		"blank name":    {Name: " ", Scopes: readAndAdmin},
		"control":       {Name: "a\nb", Scopes: readAndAdmin},
	} {
		_, err := b.service.CreateKey(t.Context(), b.tenant, request(t), n)
		require.Equal(t, problem.ValidationFailed, problem.CodeOf(err), name)
		if n.Scopes == nil {
			continue // the operator issues a key with all scopes then
		}
		_, err = b.service.IssueKey(t.Context(), request(t), b.tenant.ID, tenant.IssueRequest(n))
		require.Equal(t, problem.ValidationFailed, problem.CodeOf(err), name)
	}
}

func TestCreateKey_ScopeThatTheAskingKeyLacks_IsForbidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asking := b.authenticate(t, b.newKey(t, readAndAdmin...).APIKey)
	_, err := b.service.CreateKey(t.Context(), asking, request(t),
		tenant.KeyRequest{Name: "Till", Scopes: tenant.AllScopes()})
	requireCode(t, problem.Forbidden, err)
	require.ErrorContains(t, err, "lacks catalog, hold, book, customers, money.")
	_, err = b.service.CreateKey(t.Context(), asking, request(t), tenant.KeyRequest{Name: "Till", Scopes: readAndAdmin})
	require.NoError(t, err)
}

func TestCreateKey_HundredWorkingKeys_IsRefusedUntilOneIsRevoked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.newKey(t, operation.ScopeRead).ID
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at)
		SELECT $1, gen_random_uuid(), 'p' || n, decode(repeat('00', 32), 'hex'), '', '{read}', now()
		FROM generate_series(3, 100) n`, b.tenant.ID)
	require.NoError(t, err)
	n := tenant.KeyRequest{Name: "Till", Scopes: readAndAdmin}
	_, err = b.service.CreateKey(t.Context(), b.tenant, request(t), n)
	requireCode(t, problem.InvalidState, err)
	_, err = b.service.RotateKey(t.Context(), b.tenant, request(t), id, tenant.KeyRotation{OverlapMinutes: new(1)})
	requireCode(t, problem.InvalidState, err)
	resp, err := b.service.RotateKey(t.Context(), b.tenant, request(t), id, tenant.KeyRotation{OverlapMinutes: new(0)})
	require.NoError(t, err, "one key takes the place of another")
	id = bodyOf[tenant.NewAPIKeyBody](t, resp).ID
	_, err = b.service.IssueKey(t.Context(), request(t), b.tenant.ID, tenant.IssueRequest(n))
	require.NoError(t, err, "the operator may")
	require.NoError(t, b.service.RevokeOwnKey(t.Context(), b.tenant, id))
	_, err = b.service.CreateKey(t.Context(), b.tenant, request(t), n)
	requireCode(t, problem.InvalidState, err)
	_, err = b.sql.Exec(t.Context(), "UPDATE api_keys SET revoked_at = now() WHERE prefix = 'p3'")
	require.NoError(t, err)
	_, err = b.service.CreateKey(t.Context(), b.tenant, request(t), n)
	require.NoError(t, err)
}

func TestCreateKey_AskingKeyHasChangedSinceItWasVerified_IsJudgedAsItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	elsewhere := b.another(t)
	n := tenant.KeyRequest{Name: "Till", Scopes: []operation.Scope{operation.ScopeRead}}
	made := b.newKey(t, readAndAdmin...)
	asking, err := elsewhere.Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)

	_, err = b.service.ChangeKey(t.Context(), b.tenant, made.ID,
		tenant.KeyChange{Scopes: []operation.Scope{operation.ScopeRead}})
	require.NoError(t, err)
	remembered, err := elsewhere.Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)
	require.True(t, remembered.Scopes.Has(operation.ScopeAdmin), "other processes remember a key for some seconds")
	_, err = elsewhere.CreateKey(t.Context(), asking, request(t), n)
	requireCode(t, problem.Forbidden, err)

	require.NoError(t, b.service.RevokeOwnKey(t.Context(), b.tenant, made.ID))
	_, err = elsewhere.CreateKey(t.Context(), asking, request(t), n)
	requireCode(t, problem.Unauthenticated, err)
}

func TestCreateKey_AskingKeyEndsWhileTheRequestWaits_MakesNoKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newKey(t, readAndAdmin...)
	asking := b.authenticate(t, made.APIKey)
	rotation, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = rotation.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = rotation.Exec(t.Context(), "SELECT FROM tenants FOR NO KEY UPDATE")
	require.NoError(t, err)
	created := make(chan error, 1)
	go func() {
		_, err := b.service.CreateKey(context.WithoutCancel(t.Context()), asking, request(t),
			tenant.KeyRequest{Name: "Till", Scopes: []operation.Scope{operation.ScopeRead}})
		created <- err
	}()
	require.Eventually(t, func() bool {
		var waits bool
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT EXISTS (
			SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	}, time.Minute, time.Millisecond)
	_, err = rotation.Exec(t.Context(), "UPDATE api_keys SET expires_at = clock_timestamp() WHERE api_key_id = $1",
		made.ID)
	require.NoError(t, err)
	require.NoError(t, rotation.Commit(t.Context()))
	requireCode(t, problem.Unauthenticated, <-created)
}

func TestChangeKey_NameAndScopes_CountAtOnceInThisProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newKey(t, operation.ScopeRead)
	b.authenticate(t, made.APIKey)
	name := "Office"
	changed, err := b.service.ChangeKey(t.Context(), b.tenant, made.ID,
		tenant.KeyChange{Name: &name, Scopes: []operation.Scope{operation.ScopeMoney}})
	require.NoError(t, err)
	require.Equal(t, "Office", changed.Name)
	require.Equal(t, tenant.Scopes{operation.ScopeMoney}, changed.Scopes)
	require.Equal(t, changed.Scopes, b.authenticate(t, made.APIKey).Scopes)
	listed := b.stored(t, made.ID)
	require.Equal(t, "Office", listed.Name)
	require.Equal(t, changed.Scopes, listed.Scopes)
}

func TestChangeKey_NothingChanges_WritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newKey(t, readAndAdmin...)
	row := func() (xmin string) {
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT xmin::text FROM api_keys WHERE api_key_id = $1",
			made.ID).Scan(&xmin))
		return xmin
	}
	before := row()
	for _, c := range []tenant.KeyChange{{}, {Name: &made.Name},
		{Scopes: []operation.Scope{operation.ScopeAdmin, operation.ScopeRead}}} {
		_, err := b.service.ChangeKey(t.Context(), b.tenant, made.ID, c)
		require.NoError(t, err)
		require.Equal(t, before, row())
	}
}

func TestChangeKey_ByAKeyWithFewerScopes_KeepsAndRemovesButDoesNotAdd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asking := b.authenticate(t, b.newKey(t, operation.ScopeAdmin).APIKey)
	target := b.newKey(t, operation.ScopeRead, operation.ScopeMoney)
	change := func(scopes ...operation.Scope) error {
		_, err := b.service.ChangeKey(t.Context(), asking, target.ID, tenant.KeyChange{Scopes: scopes})
		return err
	}
	requireCode(t, problem.Forbidden, change(operation.ScopeRead, operation.ScopeMoney, operation.ScopeBook))
	require.NoError(t, change(operation.ScopeMoney, operation.ScopeAdmin), "it has admin itself")
	require.NoError(t, change(operation.ScopeMoney))
	requireCode(t, problem.Forbidden, change(operation.ScopeMoney, operation.ScopeRead))
	require.ErrorContains(t, change(operation.ScopeBook, operation.ScopeMoney, operation.ScopeCustomers),
		"lacks book, customers.")
}

func TestRevokeOwnKey_KeyWithMoreScopes_IsRevokedAndGivesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asking := b.authenticate(t, b.newKey(t, operation.ScopeAdmin).APIKey)
	require.NoError(t, b.service.RevokeOwnKey(t.Context(), asking, b.tenant.KeyID))
	_, err := b.service.Authenticate(t.Context(), b.key)
	requireCode(t, problem.Unauthenticated, err)
	for _, scope := range []operation.Scope{operation.ScopeRead, operation.ScopeMoney} {
		_, err = b.service.CreateKey(t.Context(), asking, request(t),
			tenant.KeyRequest{Name: "Till", Scopes: []operation.Scope{scope}})
		requireCode(t, problem.Forbidden, err)
	}
	_, err = b.service.IssueKey(t.Context(), request(t), b.tenant.ID,
		tenant.IssueRequest{Name: "Office", Scopes: tenant.AllScopes()})
	require.NoError(t, err, "the operator may grant all scopes")
}

func TestRotateKey_NewKeyWorksAndOldOneEndsAfterTheOverlap(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.newKey(t, operation.ScopeRead, operation.ScopeBook)
	b.authenticate(t, old.APIKey)
	resp, err := b.service.RotateKey(t.Context(), b.tenant, request(t), old.ID,
		tenant.KeyRotation{OverlapMinutes: new(60)})
	require.NoError(t, err)
	made := bodyOf[tenant.NewAPIKeyBody](t, resp)
	require.NotEqual(t, old.ID, made.ID)
	require.NotEqual(t, old.APIKey, made.APIKey)
	require.Equal(t, old.Name, made.Name)
	require.Equal(t, old.Scopes, made.Scopes)
	require.Nil(t, made.ExpiresAt)
	b.authenticate(t, old.APIKey)
	b.authenticate(t, made.APIKey)
	expires := b.stored(t, old.ID).ExpiresAt
	require.NotNil(t, expires)
	require.Equal(t, made.CreatedAt.Add(time.Hour), expires.UTC())

	// the overlap is over
	_, err = b.sql.Exec(t.Context(), "UPDATE api_keys SET expires_at = now() WHERE api_key_id = $1", old.ID)
	require.NoError(t, err)
	_, err = b.another(t).Authenticate(t.Context(), old.APIKey)
	requireCode(t, problem.Unauthenticated, err)
	_, err = b.service.RotateKey(t.Context(), b.tenant, request(t), old.ID, tenant.KeyRotation{OverlapMinutes: new(60)})
	requireCode(t, problem.InvalidState, err)
	_, err = b.service.ChangeKey(t.Context(), b.tenant, old.ID, tenant.KeyChange{Scopes: readAndAdmin})
	requireCode(t, problem.InvalidState, err)
	require.NoError(t, b.service.RevokeOwnKey(t.Context(), b.tenant, old.ID), "it has ended already")
}

func TestRotateKey_WithoutOverlap_EndsTheOldKeyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resp, err := b.service.RotateKey(
		t.Context(),
		b.tenant,
		request(t),
		b.tenant.KeyID,
		tenant.KeyRotation{OverlapMinutes: new(0)},
	) // the asking key itself
	require.NoError(t, err)
	_, err = b.service.Authenticate(t.Context(), b.key)
	requireCode(t, problem.Unauthenticated, err)
	require.Equal(t, tenant.AllScopes(), b.authenticate(t, bodyOf[tenant.NewAPIKeyBody](t, resp).APIKey).Scopes)
}

func TestRotateKey_Again_NeverPutsTheEndOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.newKey(t, operation.ScopeRead)
	rotate := func(minutes int) time.Time {
		_, err := b.service.RotateKey(t.Context(), b.tenant, request(t), old.ID,
			tenant.KeyRotation{OverlapMinutes: &minutes})
		require.NoError(t, err)
		return *b.stored(t, old.ID).ExpiresAt
	}
	first := rotate(60)
	require.Equal(t, first, rotate(120))
	require.True(t, rotate(1).Before(first))
}

func TestRotateKey_KeyWithAScopeThatTheAskingKeyLacks_IsForbidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asking := b.authenticate(t, b.newKey(t, readAndAdmin...).APIKey)
	_, err := b.service.RotateKey(t.Context(), asking, request(t), b.tenant.KeyID,
		tenant.KeyRotation{OverlapMinutes: new(60)})
	requireCode(t, problem.Forbidden, err)
	require.Nil(t, b.stored(t, b.tenant.KeyID).ExpiresAt)
}

func TestRotateKey_OverlapBeyondItsBounds_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, minutes := range []int{-1, 7*24*60 + 1} {
		_, err := b.service.RotateKey(t.Context(), b.tenant, request(t), b.tenant.KeyID,
			tenant.KeyRotation{OverlapMinutes: &minutes})
		requireCode(t, problem.ValidationFailed, err)
	}
}

func TestKeys_LastLastingAdminKey_CannotEndItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.newKey(t, operation.ScopeRead)
	requireLast := func() {
		t.Helper()
		requireCode(t, problem.InvalidState, b.service.RevokeOwnKey(t.Context(), b.tenant, b.tenant.KeyID))
		_, err := b.service.ChangeKey(t.Context(), b.tenant, b.tenant.KeyID,
			tenant.KeyChange{Scopes: []operation.Scope{operation.ScopeRead}})
		requireCode(t, problem.InvalidState, err)
		require.Equal(t, tenant.AllScopes(), b.authenticate(t, b.key).Scopes)
	}
	requireLast()
	ending := b.newKey(t, readAndAdmin...)
	_, err := b.sql.Exec(t.Context(),
		"UPDATE api_keys SET expires_at = now() + interval '1 hour' WHERE api_key_id = $1", ending.ID)
	require.NoError(t, err)
	requireLast()
	other := b.newKey(t, operation.ScopeAdmin)
	require.NoError(t, b.service.RevokeOwnKey(t.Context(), b.tenant, b.tenant.KeyID))
	requireCode(t, problem.InvalidState, b.service.RevokeOwnKey(t.Context(), b.authenticate(t, other.APIKey), other.ID))
}

func TestKeys_TwoAdminKeysRevokeEachOther_OneStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	elsewhere := b.another(t)
	for range 10 {
		first, second := b.newKey(t, readAndAdmin...), b.newKey(t, readAndAdmin...)
		askFirst, askSecond := b.authenticate(t, first.APIKey), b.authenticate(t, second.APIKey)
		_, err := b.sql.Exec(t.Context(),
			"UPDATE api_keys SET scopes = '{read}' WHERE api_key_id <> $1 AND api_key_id <> $2", first.ID,
			second.ID)
		require.NoError(t, err)
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { errs[0] = b.service.RevokeOwnKey(t.Context(), askFirst, first.ID) })
		both.Go(func() { errs[1] = elsewhere.RevokeOwnKey(t.Context(), askSecond, second.ID) })
		both.Wait()
		require.NotEqual(t, errs[0] == nil, errs[1] == nil, "one is the last: %v", errs)
		_, err = b.sql.Exec(t.Context(),
			"UPDATE api_keys SET scopes = '{catalog,read,book,customers,money,admin}' WHERE api_key_id = $1",
			b.tenant.KeyID)
		require.NoError(t, err)
	}
}

func TestKeys_OfAnotherTenant_AreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	theirs := b.newTenant(t, "pier").APIKeyID
	_, err := b.service.Key(t.Context(), b.tenant, theirs)
	requireCode(t, problem.NotFound, err)
	_, err = b.service.ChangeKey(t.Context(), b.tenant, theirs, tenant.KeyChange{})
	requireCode(t, problem.NotFound, err)
	_, err = b.service.RotateKey(t.Context(), b.tenant, request(t), theirs, tenant.KeyRotation{OverlapMinutes: new(0)})
	requireCode(t, problem.NotFound, err)
	requireCode(t, problem.NotFound, b.service.RevokeOwnKey(t.Context(), b.tenant, theirs))
	keys, err := b.service.Keys(t.Context(), b.tenant.ID, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, keys, 1)
}

func TestList_TenantsByIDAndSlug_AcrossAllTenants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pier := b.newTenant(t, "pier")
	list, err := b.service.List(t.Context(), tenant.Filter{}, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, []string{"harbour", "pier"}, []string{list[0].Slug, list[1].Slug})
	list, err = b.service.List(t.Context(), tenant.Filter{}, list[0].ID, 1)
	require.NoError(t, err)
	require.Equal(t, []tenant.Listed{{
		ID: pier.ID, Slug: "pier", Name: "Harbour Tours", TimeZone: "Europe/Berlin", Currency: "EUR",
		Status: tenant.StatusActive,
		Since:  pier.CreatedAt, CreatedAt: pier.CreatedAt, Version: 1,
	}}, list)
	one, err := b.service.Get(t.Context(), pier.ID)
	require.NoError(t, err)
	require.Equal(t, list[0], one)
	for slug, n := range map[string]int{"pier": 1, "pie": 0, "": 0} {
		list, err = b.service.List(t.Context(), tenant.Filter{Slug: &slug}, uuid.Nil, 10)
		require.NoError(t, err)
		require.Len(t, list, n, slug)
	}
	_, err = b.service.Get(t.Context(), uuid.New())
	requireCode(t, problem.NotFound, err)
}

// The operator's console offers no key to such a tenant.
func TestIssueKey_ForATenantThatIsDeleted_IsRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []tenant.Status{tenant.StatusDeleting, tenant.StatusDeleted} {
		b := setup(t)
		_, err := b.sql.Exec(t.Context(), "UPDATE tenants SET status = $1", string(status))
		require.NoError(t, err)
		_, err = b.service.IssueKey(t.Context(), request(t), b.tenant.ID,
			tenant.IssueRequest{Name: "Office", Scopes: tenant.AllScopes()})
		requireCode(t, problem.InvalidState, err)
	}
}

func TestCreate_SlugInUse_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.service.Create(t.Context(), request(t),
		tenant.CreateRequest{Slug: "harbour", Name: "Another", TimeZone: "UTC", Currency: "EUR"})
	requireCode(t, problem.AlreadyExists, err)
}

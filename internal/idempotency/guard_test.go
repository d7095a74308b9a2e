package idempotency_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant/tenanttest"
)

func newRequest(t *testing.T, key string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, "POST", "/", nil)
	require.NoError(t, err)
	return r
}

// handle does what the API does: it takes the request's permit, has it worked on, and returns its response.
func handle(t *testing.T, g *idempotency.Guard, scope uuid.UUID, r idempotency.Request,
	work func(*db.Request) error,
) (idempotency.Outcome, error) {
	t.Helper()
	permit, stored, err := g.Begin(t.Context(), scope, r)
	if permit == nil {
		return stored, err
	}
	defer permit.End()
	request := permit.DBRequest(scope)
	resp, err := request.Outcome(work(request))
	return permit.Outcome(t.Context(), resp, err)
}

// requireReplay requires that an outcome is answered as the first one of its key was.
func requireReplay(t testing.TB, first, again idempotency.Outcome) {
	t.Helper()
	require.False(t, first.Replayed)
	require.True(t, again.Replayed)
	require.Equal(t, first.Answer(), again.Answer())
	require.Equal(t, first.Body, again.Body)
}

func TestBegin_LookUpPanics_LeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	tracer := new(dbtest.PanicTracer)
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t), Tracer: tracer})
	guard := idempotency.NewGuard(s)
	scope, r := uuid.New(), newRequest(t, "key")
	work := func(request *db.Request) error {
		s.SetUnstoredOutcome(request, db.Outcome{})
		return nil
	}
	_, err := handle(t, guard, scope, r, work)
	require.NoError(t, err)
	tracer.Armed.Store(true)
	require.PanicsWithValue(t, "planted", func() { _, _ = handle(t, guard, scope, r, work) })
	tracer.Armed.Store(false)
	_, err = handle(t, guard, scope, r, work)
	require.NoError(t, err, "no request has the key's permit")
}

func TestResponse_UseCaseThatGaveNone_IsADefect(t *testing.T) {
	t.Parallel()
	guard := idempotency.NewGuard(dbtest.Open(t, db.Config{URL: dbtest.Database(t)}))
	_, err := handle(t, guard, uuid.New(), newRequest(t, "key"), func(*db.Request) error { return nil })
	require.ErrorContains(t, err, "no response")
}

// TestResponse_RefusedAfterItSucceeded_IsTheStoredOne has a use case that refuses before its transaction, as one does
// whose service was archived meanwhile. Another process answered the request: this one doesn't know the key.
func TestResponse_RefusedAfterItSucceeded_IsTheStoredOne(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	scope, r := uuid.New(), newRequest(t, "key")
	first, err := handle(t, idempotency.NewGuard(s), scope, r, func(request *db.Request) error {
		return s.Write(t.Context(), "write", scope, request, func(tx *db.WriteTx) func() error {
			return func() error {
				return tx.Respond(db.Outcome{Made: true, Body: []byte("made")}, nil)
			}
		})
	})
	require.NoError(t, err)
	again, err := handle(t, idempotency.NewGuard(s), scope, r, func(*db.Request) error { return problem.Missing() })
	require.NoError(t, err)
	requireReplay(t, first, again)
}

// TestOutcome_Replayed_NamesWhatWasMade has a secret in what the first request is shown. A repetition is shown the
// thing without it, and knows its id.
func TestOutcome_Replayed_NamesWhatWasMade(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	scope, r, id := uuid.New(), newRequest(t, "key"), uuid.New()
	work := func(request *db.Request) error {
		return s.Write(t.Context(), "write", scope, request, func(tx *db.WriteTx) func() error {
			return func() error {
				o, err := idempotency.Made("api_key", id, 0, map[string]any{"id": id})
				o.Once = []byte(`{"id":"` + id.String() + `","secret":"once"}`)
				return tx.Respond(o, err)
			}
		})
	}
	first, err := handle(t, idempotency.NewGuard(s), scope, r, work)
	require.NoError(t, err)
	require.Contains(t, string(first.Body), "once")
	again, err := handle(t, idempotency.NewGuard(s), scope, r, work)
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.JSONEq(t, `{"id":"`+id.String()+`"}`, string(again.Body))
	require.Equal(t, id, again.ID)
	require.Equal(t, first.Answer(), again.Answer())
}

// TestResponse_OfWhatCouldNotBeTried_IsItsErrorAlone has a use case that fails before a transaction of its own looked
// for the stored response. Its error says nothing about the key's first request, and a client acts on the code: it
// stays.
func TestResponse_OfWhatCouldNotBeTried_IsItsErrorAlone(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	scope, r := uuid.New(), newRequest(t, "key")
	_, err := handle(t, idempotency.NewGuard(s), scope, r, func(request *db.Request) error {
		return s.Write(t.Context(), "write", scope, request, func(tx *db.WriteTx) func() error {
			return func() error {
				return tx.Respond(db.Outcome{Made: true, Body: []byte("made")}, nil)
			}
		})
	})
	require.NoError(t, err)
	for _, code := range []problem.Code{
		problem.DatabaseUnavailable, problem.Internal, problem.LockTimeout, problem.OutcomeUnknown,
	} {
		resp, err := handle(t, idempotency.NewGuard(s), scope, r, func(*db.Request) error {
			return problem.New(code, "Try again.")
		})
		require.True(t, problem.Is(err, code), "%s: %v", code, err)
		require.Zero(t, resp, code)
	}
}

// TestWrite_RefusalOfMoney_IsFinalAndDropsWhatWasQueued has a decision that queues a write and then refuses.
func TestWrite_RefusalOfMoney_IsFinalAndDropsWhatWasQueued(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	guard, tenant, r := idempotency.NewGuard(s), uuid.New(), newRequest(t, "key")
	refuse := func(code problem.Code) func(*db.Request) error {
		return func(request *db.Request) error {
			return s.Write(t.Context(), "make a tenant", tenant, request, func(tx *db.WriteTx) func() error {
				return func() error {
					tenanttest.Queue(tx)
					return problem.New(code, "No.")
				}
			})
		}
	}
	_, err := handle(t, guard, tenant, r, refuse(problem.InvalidState))
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	refused, err := handle(t, guard, tenant, r, refuse(problem.InsufficientFunds))
	require.NoError(t, err, "the refusal before left the key free")
	require.Equal(t, http.StatusUnprocessableEntity, refused.Answer().Status)
	again, err := handle(t, guard, tenant, r, refuse(problem.InvalidState))
	require.NoError(t, err)
	requireReplay(t, refused, again)
	require.ErrorContains(t, again.Err(), string(problem.InsufficientFunds))
	empty, err := s.Empty(t.Context())
	require.NoError(t, err)
	require.True(t, empty, "nothing but the response was written")
}

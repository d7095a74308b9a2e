package idempotency_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

func TestIn_OneKeyInThreeNamespaces_IsThreeRequests(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	scope, key := uuid.New(), strings.Repeat("k", idempotency.MaxKeyBytes)
	var stored []string
	for _, namespace := range []idempotency.Namespace{"", idempotency.Website, idempotency.Page} {
		r := newRequest(t, key)
		if namespace != "" {
			var err error
			r, err = r.Qualify(namespace)
			require.NoError(t, err)
		}
		for _, replayed := range []bool{false, true} {
			// Another guard looks in the database, as another process does.
			resp, err := handle(t, idempotency.NewGuard(s), scope, r, func(request *db.Request) error {
				return s.Write(t.Context(), "write", scope, request, func(tx *db.WriteTx) func() error {
					return func() error {
						return tx.Respond(db.Outcome{Made: true, Body: []byte(namespace)}, nil)
					}
				})
			})
			require.NoError(t, err)
			require.Equal(t, replayed, resp.Replayed, namespace)
			require.Equal(t, string(namespace), string(resp.Body))
		}
		stored = append(stored, r.Key())
	}
	require.Equal(t, []string{key, "website\t" + key, "page\t" + key}, stored)
}

// A key of a namespace is stored with a character that no Idempotency-Key has.
func TestIn_NoKeyReachesIntoANamespace(t *testing.T) {
	t.Parallel()
	_, err := idempotency.NewRequest([]string{"website\t0123456789abcdef"}, "POST", "/", nil)
	require.True(t, problem.Is(err, problem.IdempotencyKeyInvalid))
}

func TestIn_KeyThatCanBeGuessed_IsRefused(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{"order-4711": false, "0123456789abcde": false, "0123456789abcdef": true} {
		_, err := newRequest(t, key).Qualify(idempotency.Website)
		require.Equal(t, !ok, problem.Is(err, problem.IdempotencyKeyInvalid), key)
	}
}

// The stored response says where its result is, which is what a visitor must not find by guessing.
func TestIn_KeyOfAnotherRequest_IsRefusedWithoutAWordOfThatOne(t *testing.T) {
	t.Parallel()
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t)})
	scope, key, secret := uuid.New(), uuid.NewString(), uuid.New()
	work := func(request *db.Request) error {
		return s.Write(t.Context(), "write", scope, request, func(tx *db.WriteTx) func() error {
			return func() error {
				return tx.Respond(db.Outcome{Kind: "booking", ID: secret, Made: true, Body: []byte("made")}, nil)
			}
		})
	}
	first, err := newRequest(t, key).Qualify(idempotency.Website)
	require.NoError(t, err)
	_, err = handle(t, idempotency.NewGuard(s), scope, first, work)
	require.NoError(t, err)
	other, err := idempotency.NewRequest([]string{key}, "POST", "/", []byte("{}"))
	require.NoError(t, err)
	other, err = other.Qualify(idempotency.Website)
	require.NoError(t, err)
	seen := idempotency.NewGuard(s)
	for range 2 { // the transaction finds the key, then the guard does
		_, err = handle(t, seen, scope, other, work)
		require.True(t, problem.Is(err, problem.IdempotencyKeyReused))
		require.NotContains(t, err.Error(), secret.String())
		require.NotContains(t, err.Error(), "201")
	}
}

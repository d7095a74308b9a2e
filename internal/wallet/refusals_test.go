package wallet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

// keyed returns a request with a key and a body, as a client repeats or corrects it.
func keyed(t *testing.T, key, body string) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{key}, "POST", "/", []byte(body))
	require.NoError(t, err)
	return r
}

func TestChange_BeyondItsBounds_IsRefusedWhoeverCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, to := b.newWallet(t, 100), b.newWallet(t, 0)
	long := wallet.Description{Reason: strings.Repeat("x", 201)}
	for field, do := range map[string]func() (idempotency.Outcome, error){
		"amount": func() (idempotency.Outcome, error) {
			return b.service.Credit(t.Context(), b.tenant, newRequest(t), id, wallet.CreditRequest{Amount: 0})
		},
		"reason": func() (idempotency.Outcome, error) {
			return b.service.Debit(t.Context(), b.tenant, newRequest(t), id,
				wallet.DebitRequest{Amount: 1, Description: long})
		},
		"reference": func() (idempotency.Outcome, error) {
			return b.service.Transfer(t.Context(), b.tenant, newRequest(t), wallet.TransferRequest{
				From: id, To: to, Amount: 1, Description: wallet.Description{Reference: long.Reason},
			})
		},
	} {
		_, err := do()
		require.Len(t, problem.DocumentOf(err).Errors, 1, field)
		require.Equal(t, field, problem.DocumentOf(err).Errors[0].Name)
	}
}

func TestRefusedChange_CorrectedWithTheSameKey_Succeeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, change := range map[string]struct {
		refusal            problem.Code
		refused, corrected func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error)
	}{
		"credit that has expired": {
			problem.ValidationFailed,
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				past := testtime.Now().Add(-time.Hour)
				return b.service.Credit(t.Context(), b.tenant, r, id, wallet.CreditRequest{Amount: 5, ExpiresAt: &past})
			},
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				return b.service.Credit(t.Context(), b.tenant, r, id, wallet.CreditRequest{Amount: 5})
			},
		},
		"transfer to itself": {
			problem.ValidationFailed,
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				return b.service.Transfer(t.Context(), b.tenant, r, wallet.TransferRequest{From: id, To: id, Amount: 5})
			},
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				return b.service.Transfer(t.Context(), b.tenant, r,
					wallet.TransferRequest{From: id, To: b.newWallet(t, 0), Amount: 5})
			},
		},
		"end of an unknown hold": {
			problem.NotFound,
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				return b.service.Release(t.Context(), b.tenant, r, id, uuid.New(), wallet.Description{})
			},
			func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
				return b.service.Debit(t.Context(), b.tenant, r, id, wallet.DebitRequest{Amount: 5})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, key := b.newWallet(t, 100), uuid.NewString()
			version := b.get(t, id).Version
			require.Equal(t, change.refusal, code(t)(change.refused(keyed(t, key, "wrong"), id)))
			require.Equal(t, version, b.get(t, id).Version, "a refusal writes nothing")
			resp, err := change.corrected(keyed(t, key, "corrected"), id)
			require.NoError(t, err)
			require.False(t, resp.Replayed)
			require.Equal(t, version+1, b.get(t, id).Version)
		})
	}
}

package wallet_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

func TestDebit_AnotherWriterComesFirstEachTime_IsAVersionConflictThatLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from, to := b.newWallet(t, 100), b.newWallet(t, 0)
	conflicts := 4 // as often as a transaction is tried
	proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
		p.Rewrite = func(sql string) string {
			// the row is at another version than the one that was read
			if strings.HasPrefix(sql, "-- name: WalletAppend") {
				return rowVersion.ReplaceAllStringFunc(sql, func(match string) string { return match + " - 1" })
			}
			return sql
		}
	})
	p := newProcess(t, proxy.URL)
	for name, change := range map[string]func(*process, string) error{
		"debit": func(p *process, key string) error {
			_, err := p.Debit(t.Context(), b.tenant, keyed(t, key, ""), from, wallet.DebitRequest{Amount: 10})
			return err
		},
		"transfer": func(p *process, key string) error {
			_, err := p.Transfer(t.Context(), b.tenant, keyed(t, key, ""),
				wallet.TransferRequest{From: from, To: to, Amount: 10})
			return err
		},
	} {
		key, before := uuid.NewString(), p.retries(t)
		err := change(p, key)
		require.Equal(t, problem.VersionConflict, problem.CodeOf(err), "%s: %v", name, err)
		document := problem.DocumentOf(err)
		require.Equal(t, 409, document.Status)
		require.Equal(t, "1", document.GetHeaders().Get("Retry-After"))
		require.InDelta(t, float64(conflicts-1), p.retries(t)-before, 0.1, name)
		require.NoError(t, change(newProcess(t, b.url), key), "%s: the key is free", name)
	}
}

package httpapi_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestWallets_AmountsThatAreNone_AreRefusedAndWriteNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := walletPath(f.card)
	before := f.tables(t)
	for _, amount := range []string{"0", "-1", "9223372036854775807", "9223372036854775808", "9007199254740992", "1e3",
		"1.5", `"10"`,
		"null", "true", "[1]", "01", ""} {
		for where, body := range map[string]string{
			path + "/credits": `{"amount":` + amount + `}`, path + "/debits": `{"amount":` + amount + `}`,
			path + "/holds": `{"amount":` +
				amount + `}`,
			f.walletHoldPath() + "/capture": `{"amount":` + amount + `}`,
			"/v1/transfers": `{"from":"` + f.card.String() + `","to":"` + f.wallet.String() +
				`","amount":` + amount + `}`,
		} {
			a := f.post(t, where, body)
			require.GreaterOrEqual(t, a.status, 400, "%s %s", where, body)
			require.Less(t, a.status, 500, "%s %s", where, body)
		}
	}
	require.Equal(t, before, f.tables(t))
}

func TestWallets_TooLittle_Is422InsufficientFunds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	requireProblem(t, f.post(t, walletPath(f.wallet)+"/debits", object{"amount": 5001}, "Idempotency-Key", "k"),
		http.StatusUnprocessableEntity, problem.InsufficientFunds)
	require.Equal(t, http.StatusCreated, f.post(t, walletPath(f.wallet)+"/credits", object{"amount": 1}).status)
	again := f.post(t, walletPath(f.wallet)+"/debits", object{"amount": 5001}, "Idempotency-Key", "k")
	requireProblem(t, again, http.StatusUnprocessableEntity, problem.InsufficientFunds)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, http.StatusCreated, f.post(t, walletPath(f.wallet)+"/debits", object{"amount": 5001}).status)
}

func TestWallets_EntriesByPages_ComeOnceAsJSONAndAsCSV(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := walletPath(f.wallet)
	for _, reason := range []string{"=1+1", "a, \"b\"", "", "@x", "＝1+1"} {
		require.Equal(t, http.StatusCreated, f.post(t, path+"/debits", object{"amount": 10, "reason": reason}).status)
	}
	var versions []float64
	for cursor := ""; ; {
		page := f.list(t, path+"/entries?limit=3"+cursor)
		for _, e := range page.Data {
			versions = append(versions, e["version"].(float64))
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	require.Equal(t, []float64{1, 2, 3, 4, 5, 6, 7}, versions)

	var rows [][]string
	for next := path + "/entries.csv?limit=3"; next != ""; {
		a := f.get(t, next)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
		require.Contains(t, a.body, "\r\n")
		list, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "version,occurred_at,type,amount,balance,held,available,movement_id,hold_id,other_wallet_id,"+
			"booking_id,payment_id,reason,reference",
			strings.Join(list[0], ","))
		rows = append(rows, list[1:]...)
		link, found := strings.CutSuffix(a.header.Get("Link"), `>; rel="next"`)
		if next = strings.TrimPrefix(link, "<"); !found {
			next = ""
		}
	}
	require.Len(t, rows, 7)
	require.Equal(t, []string{"opened", "0", "0"}, rows[0][2:5])
	require.Equal(t, []string{"credited", "5000", "5000", "0", "5000"}, rows[1][2:7])
	var reasons []string
	for _, r := range rows[2:] {
		require.Equal(t, "debited", r[2])
		reasons = append(reasons, r[12])
	}
	require.Equal(t, []string{"'=1+1", "a, \"b\"", "", "'@x", "'＝1+1"}, reasons, "a spreadsheet sees no formula")

	for _, query := range []string{"?cursor=x", "?limit=0", "?limit=x"} {
		for _, list := range []string{"/entries", "/entries.csv"} {
			requireProblem(t, f.get(t, path+list+query), http.StatusUnprocessableEntity, problem.ValidationFailed)
		}
	}
	requireProblem(t, f.get(t, path+"?as_of=yesterday"), http.StatusUnprocessableEntity, problem.ValidationFailed)
	requireProblem(t, f.get(t, path+"?as_of=2020-01-01T00:00:00Z"), http.StatusNotFound, problem.NotFound)
	requireProblem(t, f.get(t, path+"?as_of=2100-01-01T00:00:00Z"), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
	require.InDelta(t, 4950,
		f.get(t, path+"?as_of="+f.get(t, path).field(t, "updated_at").(string)).field(t, "balance"), 0)
}

func TestWallets_CodeOfAnotherTenant_IsNotFound(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, ours := newFixture(t, s.newTenant(t, "Europe/Berlin")), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	requireSame(t, ours.post(t, "/v1/wallets/lookup", object{"code": "0000-0000-0000-0000-0000"}),
		ours.post(t, "/v1/wallets/lookup", object{"code": theirs.code}))
	require.Equal(t, theirs.card, theirs.post(t, "/v1/wallets/lookup", object{"code": theirs.code}).id(t))
	require.NotContains(t, ours.listAll(t, "/v1/wallets", nil), theirs.card.String())
	require.ElementsMatch(t, []string{ours.card.String(), ours.wallet.String()}, ours.listAll(t, "/v1/wallets", nil))
	for range 20 {
		ours.post(t, "/v1/wallets/lookup", object{"code": uuid.NewString()})
	}
	limited := ours.post(t, "/v1/wallets/lookup", object{"code": ours.code})
	requireProblem(t, limited, http.StatusTooManyRequests, problem.RateLimited)
	require.NotEmpty(t, limited.header.Get("Retry-After"))
}

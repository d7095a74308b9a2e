package wallet_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
)

// newCode makes a wallet with a code.
func (b *testBundle) newCode(t testing.TB) wallet.NewWalletBody {
	t.Helper()
	made := succeeded[wallet.NewWalletBody](t)(b.service.Create(t.Context(), b.tenant, newRequest(t),
		wallet.CreateRequest{Currency: "EUR"}))
	require.Regexp(t, `^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$`, made.Code)
	return made
}

// occurrences counts the rows of all tables in which a text stands, as text or as bytes.
func (b *testBundle) occurrences(t testing.TB, text string) (n int) {
	t.Helper()
	for name := range b.tables(t) {
		var found int
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{name}.Sanitize()+
			" r WHERE position(lower($1) IN lower(r::text)) > 0 OR position($2 IN r::text) > 0", text,
			hex.EncodeToString([]byte(
				text))).Scan(&found))
		n += found
	}
	return n
}

func TestCreate_Code_IsStoredNowhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newRequest(t)
	made := succeeded[wallet.NewWalletBody](t)(b.service.Create(t.Context(), b.tenant, r,
		wallet.CreateRequest{Currency: "EUR"}))
	rotation := newRequest(t)
	rotated := succeeded[wallet.NewWalletBody](t)(b.service.RotateCode(t.Context(), b.tenant, rotation, made.ID))
	for _, c := range []string{made.Code, rotated.Code} {
		require.NotEmpty(t, c)
		plain := strings.ReplaceAll(c, "-", "")
		require.Zero(t, b.occurrences(t, c))
		require.Zero(t, b.occurrences(t, plain))
		require.Zero(t, b.occurrences(t, plain[8:]), "the part that can't be guessed")
	}
	require.Positive(t, b.occurrences(t, strings.ReplaceAll(rotated.Code, "-", "")[:8]),
		"the search finds what is stored")
	require.Positive(t, b.occurrences(t, `"currency":"EUR"`), "also in stored responses")

	again, err := b.service.Create(t.Context(), b.tenant, r, wallet.CreateRequest{Currency: "EUR"})
	require.NoError(t, err)
	require.True(t, again.Replayed)
	var body map[string]any
	require.NoError(t, json.Unmarshal(again.Body, &body))
	require.NotContains(t, body, "code")
	require.Equal(t, made.ID.String(), body["id"])
	again, err = b.service.RotateCode(t.Context(), b.tenant, rotation, made.ID)
	require.NoError(t, err)
	require.NotContains(t, string(again.Body), rotated.Code)
	_, err = b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: rotated.Code})
	require.NoError(t, err, "the repetition made no other code")
	b.requireSound(t)
}

func TestLookup_CodeAsPeopleTypeIt_FindsTheWallet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newCode(t)
	c := made.Code
	for _, typed := range []string{
		c, strings.ToLower(c), strings.ReplaceAll(c, "-", ""), strings.ReplaceAll(c, "-", " "), " " + c + " ",
		strings.ReplaceAll(c, "0", "o"), strings.ReplaceAll(c, "0", "O"), strings.ReplaceAll(c, "1", "l"),
		strings.ReplaceAll(c, "1", "I"),
	} {
		w, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: typed})
		require.NoError(t, err, typed)
		require.Equal(t, made.ID, w.ID)
	}
	for _, wrong := range []string{"-", c[1:], c + "0", c[:23] + "U", c[:23] + "é", strings.Repeat("0", 20),
		strings.Repeat("0", 64)} {
		_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: wrong})
		require.True(t, problem.Is(err, problem.NotFound), wrong)
	}
	for _, beyond := range []string{"", strings.Repeat("0", 65)} {
		_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: beyond})
		require.True(t, problem.Is(err, problem.ValidationFailed), beyond)
	}
	// Each character of the code counts, also the last one.
	for i, other := range map[int]string{0: "Z", 9: "Z", 23: "Z"} {
		changed := c[:i] + other + c[i+1:]
		if changed == c {
			changed = c[:i] + "Y" + c[i+1:]
		}
		_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: changed})
		require.True(t, problem.Is(err, problem.NotFound))
	}
}

func TestLookup_TooManyWrongCodes_AreLimitedForTheTenantAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newCode(t)
	other := *b
	other.tenant = b.newTenant(t)
	theirs := other.newCode(t)
	for range 20 {
		_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: theirs.Code})
		require.True(t, problem.Is(err, problem.NotFound), "the code of another tenant is a wrong one")
	}
	_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: made.Code})
	require.True(t, problem.Is(err, problem.RateLimited), "the right one isn't tried either")
	_, err = other.service.Lookup(t.Context(), other.tenant, wallet.LookupRequest{Code: theirs.Code})
	require.NoError(t, err)
	for range 50 {
		_, err = other.service.Lookup(t.Context(), other.tenant, wallet.LookupRequest{Code: theirs.Code})
		require.NoError(t, err, "right codes aren't limited")
	}
}

func TestRotateCode_FormerCode_FindsTheWalletNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.newCode(t)
	b.credit(t, made.ID, 10, nil)
	rotated := succeeded[wallet.NewWalletBody](t)(b.service.RotateCode(t.Context(), b.tenant, newRequest(t), made.ID))
	require.NotEqual(t, made.Code, rotated.Code)
	_, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: made.Code})
	require.True(t, problem.Is(err, problem.NotFound))
	w, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: rotated.Code})
	require.NoError(t, err)
	require.Equal(t, int64(10), w.Balance)
	b.requireSound(t)

	customer := b.newCustomer(t)
	owned := succeeded[wallet.NewWalletBody](
		t,
	)(
		b.service.Create(t.Context(), b.tenant, newRequest(t),
			wallet.CreateRequest{CustomerID: &customer, Currency: "EUR"}),
	)
	require.Empty(t, owned.Code, "the wallet of a customer has none")
	require.Equal(t, problem.InvalidState,
		code(t)(b.service.RotateCode(t.Context(), b.tenant, newRequest(t), owned.ID)))
	r, err := b.service.RotateCode(t.Context(), b.newTenant(t), newRequest(t), made.ID)
	require.Equal(t, problem.NotFound, code(t)(r, err))
	require.NotEqual(t, http.StatusCreated, r.Answer().Status)
}

func TestCode_CommitIsCutOff_IsInTheFirstResponseAllTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	proxy := dbtest.NewProxy(t, b.url)
	var cut atomic.Bool
	proxy.AfterCommit = func() bool { return cut.CompareAndSwap(true, false) }
	s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 2, LockTimeout: time.Minute})
	service := wallet.NewService(s)
	cut.Store(true)
	made := succeeded[wallet.NewWalletBody](t)(service.Create(t.Context(), b.tenant, newRequest(t),
		wallet.CreateRequest{Currency: "EUR"}))
	cut.Store(true)
	rotated := succeeded[wallet.NewWalletBody](t)(service.RotateCode(t.Context(), b.tenant, newRequest(t), made.ID))
	require.False(t, cut.Load(), "both commits were cut off")
	require.NotEmpty(t, made.Code)
	require.NotEmpty(t, rotated.Code)
	found, err := b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: rotated.Code})
	require.NoError(t, err)
	require.Equal(t, made.ID, found.ID)
	_, err = b.service.Lookup(t.Context(), b.tenant, wallet.LookupRequest{Code: made.Code})
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
}

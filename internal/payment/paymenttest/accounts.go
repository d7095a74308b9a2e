package paymenttest

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// accounts are the tests of tenants' accounts, and of what is made in them.
var accounts = map[string]func(*testing.T, fixture){
	"Account_New_TakesPaymentsOnceItIsOnboarded": func(t *testing.T, fx fixture) {
		require.True(t, fx.Provider.HasAccounts())
		order := payment.AccountOrder{TenantID: uuid.New(), Key: "account-" + uuid.NewString(), Country: "DE"}
		made, err := fx.Provider.CreateAccount(t.Context(), order)
		require.NoError(t, err)
		require.NotEmpty(t, made.ID)
		require.False(t, made.CanCharge || made.CanBePaidOut)
		require.NotEmpty(t, made.Requirements)
		again, err := fx.Provider.CreateAccount(t.Context(), order)
		require.NoError(t, err)
		require.Equal(t, made, again, "the same order makes no second account")
		found, err := fx.Provider.FindAccount(t.Context(), made.ID)
		require.NoError(t, err)
		require.Equal(t, made, found)
		_, err = fx.Provider.Account(made.ID).Charge(t.Context(), fx.order(fx.Methods.OK, 1_000))
		requireNotDone(t, err, false, "")

		link, err := fx.Provider.OnboardingLink(t.Context(), made.ID, onboardingPages)
		require.NoError(t, err)
		require.NotEmpty(t, link.URL)
		require.False(t, link.ExpiresAt.IsZero())
		fx.Onboard(t, made.ID, link)
		found, err = fx.Provider.FindAccount(t.Context(), made.ID)
		require.NoError(t, err)
		require.Equal(t, payment.Account{ID: made.ID, CanCharge: true, CanBePaidOut: true}, found)
		again, err = fx.Provider.CreateAccount(t.Context(), order)
		require.NoError(t, err)
		require.Equal(t, found, again, "as it is now, not as it was when it was made")
	},
	"Account_Unknown_IsNoAccount": func(t *testing.T, fx fixture) {
		_, err := fx.Provider.FindAccount(t.Context(), "acct_unknown")
		require.ErrorIs(t, err, payment.ErrNoAccount)
		_, err = fx.Provider.OnboardingLink(t.Context(), "acct_unknown", onboardingPages)
		require.ErrorIs(t, err, payment.ErrNoAccount)
		in := fx.Provider.Account("acct_unknown")
		_, err = in.Charge(t.Context(), fx.order(fx.Methods.OK, 1_000))
		requireNotDone(t, err, false, "")
		require.ErrorIs(t, err, payment.ErrNoAccount)
		_, err = in.FindCharge(t.Context(), newReference(), "")
		require.ErrorIs(t, err, payment.ErrNoAccount)
		for _, err := range in.Transactions(t.Context(), time.Unix(0, 0), time.Unix(1, 0)) {
			require.ErrorIs(t, err, payment.ErrNoAccount)
		}
		_, err = fx.Unreachable.FindAccount(t.Context(), "acct_unknown")
		require.Error(t, err)
		require.NotErrorIs(t, err, payment.ErrNoAccount, "nobody knows")
		_, err = fx.WrongKey.FindAccount(t.Context(), "acct_unknown")
		require.Error(t, err)
		require.NotErrorIs(t, err, payment.ErrNoAccount, "the key is at fault")
		_, err = fx.Unreachable.CreateAccount(t.Context(), payment.AccountOrder{TenantID: uuid.New(), Key: "k"})
		requireNotDone(t, err, true, "")
	},
	// Each call is made in two accounts and in the platform's own. What is made in one is found in it, and in no other.
	"Account_EachCall_IsCarriedOutInItAlone": func(t *testing.T, fx fixture) {
		places := []payment.Provider{fx.Provider, fx.Provider.Account(fx.newAccount(t)),
			fx.Provider.Account(fx.newAccount(t))}
		in := func(i int) fixture {
			there := fx
			there.Provider = places[i]
			return there
		}
		others := func(t *testing.T, i int, found func(there fixture) (payment.Outcome, error)) {
			t.Helper()
			for j := range places {
				if outcome, err := found(in(j)); j == i {
					require.NoError(t, err)
					require.NotEqual(t, payment.Absent, outcome.Result)
				} else if err == nil { // a provider may also not let ids of others be asked for
					require.Equal(t, payment.Absent, outcome.Result, "of %d in %d", i, j)
				}
			}
		}
		for i := range places {
			here := in(i)
			charge := fx.order(fx.Methods.OK, 1_000)
			charge.Metadata = map[string]string{"order": "4711"}
			paid := here.mustCharge(t, charge)
			others(t, i, func(there fixture) (payment.Outcome, error) {
				return there.Provider.FindCharge(t.Context(), charge.Reference, "")
			})
			others(t, i, func(there fixture) (payment.Outcome, error) {
				return there.Provider.FindCharge(t.Context(), charge.Reference, paid.ProviderID)
			})
			require.Equal(t, paid, here.charge(t, charge), "the key is known there")

			back := fx.refundOrder(paid.ProviderID, 400)
			for j := range places {
				if j != i {
					_, err := places[j].Refund(t.Context(), back)
					requireNotDone(t, err, false, "")
				}
			}
			returned := here.refund(t, back)
			require.Equal(t, payment.Succeeded, returned.Result)
			others(t, i, func(there fixture) (payment.Outcome, error) {
				return there.Provider.FindRefund(t.Context(), back.Reference, returned.ProviderID, paid.ProviderID)
			})
			others(t, i, func(there fixture) (payment.Outcome, error) {
				return there.Provider.FindRefund(t.Context(), back.Reference, "", paid.ProviderID)
			})

			waiting := fx.order(fx.Methods.RequiresAction, 700)
			waits := here.charge(t, waiting)
			page, opened := here.checkout(t)
			for _, open := range []struct {
				order payment.ChargeOrder
				made  payment.Outcome
			}{{waiting, waits}, {page, opened}} {
				require.Equal(t, payment.Processing, open.made.Result)
				for j := range places {
					for _, id := range []string{"", open.made.ProviderID} {
						if j != i {
							outcome, err := places[j].CancelCharge(t.Context(), open.order.Reference, id)
							require.True(t, err != nil || outcome.Result == payment.Absent, "of %d in %d", i, j)
						}
					}
				}
				require.Equal(t, payment.Processing,
					here.findCharge(t, open.order.Reference, open.made.ProviderID).Result)
				ended, err := here.Provider.CancelCharge(t.Context(), open.order.Reference, "")
				require.NoError(t, err)
				require.Equal(t, payment.Declined, ended.Result)
			}

			page, opened = here.checkout(t)
			require.True(t, fx.PayOnPage(t, opened, true))
			others(t, i, func(there fixture) (payment.Outcome, error) {
				return there.Provider.FindCharge(t.Context(), page.Reference, "")
			})
			require.Equal(t, payment.Succeeded, here.findCharge(t, page.Reference, opened.ProviderID).Result)

			var listed []payment.Reference
			for _, m := range here.allTransactions(t) {
				listed = append(listed, m.Reference)
			}
			require.ElementsMatch(t, []payment.Reference{charge.Reference, back.Reference, page.Reference}, listed)
		}
	},
}

var onboardingPages = payment.OnboardingPages{ReturnURL: "https://example.com/account",
	RefreshURL: "https://example.com/again"}

// newAccount makes an account that takes payments.
func (fx fixture) newAccount(t *testing.T) string {
	t.Helper()
	made, err := fx.Provider.CreateAccount(t.Context(),
		payment.AccountOrder{TenantID: uuid.New(), Key: "account-" + uuid.NewString()})
	require.NoError(t, err)
	link, err := fx.Provider.OnboardingLink(t.Context(), made.ID, onboardingPages)
	require.NoError(t, err)
	fx.Onboard(t, made.ID, link)
	return made.ID
}

package payment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// Two tenants with an account each and one without pay, refund, cancel, lose answers and pay on pages, mixed.
func TestPayments_TenantsWithAndWithoutAccounts_EachKeepsToItsOwn(t *testing.T) {
	t.Parallel()
	first := setup(t)
	s := first.process(t)
	tenants := []*testBundle{first, first.another(t, "second"), first.another(t, "without")}
	accounts := []string{tenants[0].readyAccount(t, s, 0), tenants[1].readyAccount(t, s, 0), ""}
	require.NotEqual(t, accounts[0], accounts[1])
	at := func(i int) payment.Provider {
		if accounts[i] == "" {
			return first.provider
		}
		return first.provider.Account(accounts[i])
	}
	type open struct {
		paid, lost, page, waiting uuid.UUID
		actionURL                 string
	}
	made := make([]open, len(tenants))
	for i, b := range tenants {
		made[i].paid = b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	}
	for i, b := range tenants { // the answer is lost: the resolver finds the charge
		require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Charges, Count: 1}))
		r, err := b.pay(t, s, newKey(), b.newBooking(t), balance("pm_ok"))
		require.NoError(t, err)
		require.Equal(t, http.StatusAccepted, r.Answer().Status)
		made[i].lost = decode(t, r).ID
	}
	for i, b := range tenants {
		page := b.beginCheckout(t, s, newKey(), b.newBooking(t), checkout())
		made[i].page, made[i].actionURL = page.ID, page.ActionURL
		waiting := b.payWithAction(t, s, newKey(), b.newBooking(t))
		made[i].waiting = waiting.ID
	}
	for i, b := range tenants {
		r, err := b.cancel(t, s, newKey(), made[i].waiting)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, r.Answer().Status, "%s", r.Body)
		status, _ := choose(t, made[i].actionURL, "pay")
		require.Equal(t, http.StatusSeeOther, status)
		r, err = b.refund(t, s, newKey(), made[i].paid, 1_000+int64(i))
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	}
	eventually(t, func() bool {
		first.dueNow(t)
		first.exec(t, "UPDATE payments SET resolve_at = now() WHERE resolve_at IS NOT NULL AND leased_until <= now()")
		first.work(t, s)
		return first.openCount(t) == 0
	})
	for i, b := range tenants {
		require.Equal(t, transferTotals{captures: 3, captured: 3 * price, refunds: 1, refunded: 1_000 + int64(i)},
			totalsAt(t, at(i)))
		for _, id := range []uuid.UUID{made[i].paid, made[i].lost, made[i].page} {
			p, err := s.Get(t.Context(), b.tenant, id)
			require.NoError(t, err)
			require.Equal(t, payment.StatusSucceeded, p.Status)
			require.Equal(t, accounts[i], deref(p.Account))
			body := p.Body()
			require.Equal(t, accounts[i], deref(body.Account))
		}
		require.Equal(t, 5, b.count(t,
			`SELECT count(*) FROM payments WHERE tenant_id = $1 AND coalesce(account, '') = $2`, b.tenant,
			accounts[i]), "refunds too")
	}
	found, err := s.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	require.Equal(t, 12, found.Transactions)
	for _, b := range tenants {
		found, err = s.ReconcileTenant(t.Context(), b.tenant, testtime.Now().Add(-time.Hour),
			testtime.Now().Add(time.Hour))
		require.NoError(t, err)
		require.Empty(t, found.Differences)
		require.Equal(t, 4, found.Transactions)
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestPay_AccountNotReady_IsRefusedUntilTheProviderIsContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.receiveWebhooks(t)
	s := b.process(t)
	before := b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	id, key := b.newBooking(t), newKey()
	account := b.createAccount(t, s)
	refused := func() {
		t.Helper()
		_, err := b.pay(t, s, key, id, balance("pm_ok"))
		require.True(t, problem.Is(err, problem.PaymentAccountNotReady), "%v", err)
		_, err = b.pay(t, s, newKey(), id, checkout())
		require.True(t, problem.Is(err, problem.PaymentAccountNotReady), "%v", err)
	}
	refused()
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments`), "nothing was written")
	require.Equal(t, transferTotals{captures: 1, captured: price}, b.transferTotals(t),
		"nothing went to the platform's account")
	r, err := b.refund(t, s, newKey(), before, 0)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "what was paid before comes back from where it is")

	b.finishOnboarding(t, s)
	refused() // what is known is fresh, and the webhook hasn't come
	sent := in.wait(t, 3)
	require.NoError(t, deliver(t, s, sent[2]))
	r, err = b.pay(t, s, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.Equal(t, transferTotals{captures: 1, captured: price}, totalsAt(t, b.provider.Account(account)))
}

func TestPay_AccountBecameReadyWithoutAWebhook_IsFoundOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	account := b.createAccount(t, s)
	b.finishOnboarding(t, s)
	b.outdate(t)
	b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	require.EqualValues(t, 1, totalsAt(t, b.provider.Account(account)).captures)
}

func TestRefund_TenantHasAnotherAccount_ComesFromTheOldOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	old := b.readyAccount(t, s, 200)
	paid := b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	lostKey, lostBooking := newKey(), b.newBooking(t)
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Charges, Count: 1}))
	r, err := b.pay(t, s, lostKey, lostBooking, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	page := b.beginCheckout(t, s, newKey(), b.newBooking(t), checkout())

	newOne := b.strangersAccount(t)
	b.setAccount(t, s, map[string]any{"account_id": newOne, "application_fee_basis_points": 0})
	r = b.payKnown(t, s, lostKey, lostBooking, balance("pm_ok"))
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	r, err = b.refund(t, s, newKey(), paid, 0)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	r, err = b.cancel(t, s, newKey(), page.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.Answer().Status, "%s", r.Body)
	require.Equal(t, transferTotals{captures: 2, captured: 2 * price, refunds: 1, refunded: price},
		totalsAt(t, b.provider.Account(old)))
	require.Zero(t, totalsAt(t, b.provider.Account(newOne)))

	b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	require.Equal(t, transferTotals{captures: 1, captured: price}, totalsAt(t, b.provider.Account(newOne)))
	b.setAccount(t, s, map[string]any{"account_id": nil})
	b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	require.Equal(t, transferTotals{captures: 1, captured: price}, b.transferTotals(t),
		"the platform's account, as without an own one")
	found, err := s.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, found.Differences, "accounts that tenants had are compared too")
	require.Equal(t, 5, found.Transactions)
}

func TestHandleWebhook_OfAnotherAccountThanItsPayment_IsRefusedAndReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry, log := prometheus.NewRegistry(), &bytes.Buffer{}
	s := b.process(t, func(cfg *payment.Config) {
		cfg.Metrics, cfg.Logger = registry, slog.New(slog.NewTextHandler(log, nil))
	})
	account, other := b.readyAccount(t, s, 0), b.strangersAccount(t)
	inAccount := b.payWithAction(t, s, newKey(), b.newBooking(t))
	b.setAccount(t, s, map[string]any{"account_id": nil})
	inPlatform := b.payWithAction(t, s, newKey(), b.newBooking(t))
	event := func(id, account string, p paymentResponse) webhook {
		return signed(webhookSecret, testtime.Now(),
			fmt.Appendf(nil, `{"id":%q,"type":"charge.succeeded","account":%q,"charge":{`+
				`"id":"ch_x","status":"succeeded","amount":%d,"currency":"EUR","reference":{"tenant_id":%q,"id":%q}}}`,
				id,
				account, price,
				b.tenant, p.ID))
	}
	require.Zero(t, counter(t, registry, "holdfast_webhooks_of_other_accounts_total"),
		"a rate can be taken before the first")
	for i, wrong := range []webhook{
		event("evt_1", other, inAccount), event("evt_2", "", inAccount), event("evt_3", account, inPlatform),
	} {
		log.Reset()
		err := deliver(t, s, wrong)
		require.True(t, problem.Is(err, problem.MalformedRequest), "%v", err)
		require.Contains(t, log.String(), "level=ERROR")
		require.Contains(t, log.String(), "its account isn't that of its payment")
		require.InDelta(t, i+1, counter(t, registry, "holdfast_webhooks_of_other_accounts_total"), 0)
	}
	require.Zero(t, b.count(t, `SELECT count(*) FROM provider_events`))
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE status = 'succeeded'`))
	require.NoError(t, deliver(t, s, event("evt_1", account, inAccount)))
	require.NoError(t, deliver(t, s, event("evt_2", "", inPlatform)))
	require.Equal(t, 2, b.count(t, `SELECT count(*) FROM payments WHERE status = 'succeeded'`))
}

func TestPay_PlatformsFee_IsKeptWithThePaymentAndGivenBackInProportion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	b.readyAccount(t, s, 149)
	id := b.newBooking(t)
	paid := b.mustPay(t, s, id, part(3_333, "pm_ok"))
	p, err := s.Get(t.Context(), b.tenant, paid)
	require.NoError(t, err)
	require.EqualValues(t, 49, p.ApplicationFee, "1.49 % of 3333 is 49.66, rounded down")
	require.Equal(t, new(int64(49)), p.Body().ApplicationFee)
	require.InDelta(t, 49, b.chargeAtSandbox(t, s, paid)["application_fee"], 0)

	b.setAccount(t, s, map[string]any{"application_fee_basis_points": 0})
	r, err := b.refund(t, s, newKey(), paid, 1_000)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status)
	refund := bodyOf[payment.PaymentBody](t, r)
	require.Nil(t, refund.ApplicationFee)
	require.InDelta(t, 14, b.chargeAtSandbox(t, s, paid)["fee_returned"], 0, "of the fee that the payment had")
	free := b.mustPay(t, s, id, part(100, "pm_ok"))
	require.NotContains(t, b.chargeAtSandbox(t, s, free), "application_fee")
	r, err = b.refund(t, s, newKey(), free, 0)
	require.NoError(t, err)
	refund = bodyOf[payment.PaymentBody](t, r)
	require.NotContains(t, b.atSandbox(t, *refund.Account, "/v1/refunds/"+*refund.ProviderID), "return_fee")

	b.setAccount(t, s, map[string]any{"application_fee_basis_points": 149, "account_id": nil})
	p, err = s.Get(t.Context(), b.tenant, b.mustPay(t, s, b.newBooking(t), balance("pm_ok")))
	require.NoError(t, err)
	require.Zero(t, p.ApplicationFee, "the platform's own account has no fee")
	require.Nil(t, p.Body().ApplicationFee)
}

func TestPay_Metadata_IsKeptAndSentToTheProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	o := balance("pm_ok")
	o.Metadata = map[string]string{"order": "4711", "note": "Grüße"}
	paid := b.mustPay(t, s, b.newBooking(t), o)
	p, err := s.Get(t.Context(), b.tenant, paid)
	require.NoError(t, err)
	require.Equal(t, o.Metadata, p.Body().Metadata)
	require.Equal(t, map[string]any{"order": "4711", "note": "Grüße"}, b.chargeAtSandbox(t, s, paid)["metadata"])
	r, err := b.refund(t, s, newKey(), paid, 0)
	require.NoError(t, err)
	require.Nil(t, bodyOf[payment.PaymentBody](t, r).Metadata)

	many := map[string]string{}
	for i := range payment.MaxMetadata + 1 {
		many[fmt.Sprint("name", i)] = "x"
	}
	for name, metadata := range map[string]map[string]string{
		"too many": many, "reserved": {"tenant_id": "x"}, "reserved too": {"checkout": "x"},
		"reserved prefix": {"holdfast_x": "x"},
		"brackets":        {"a[b]": "x"}, "a long name": {string(bytes.Repeat([]byte("n"), 41)): "x"},
		"no name":     {"": "x"},
		"a long text": {"a": string(bytes.Repeat([]byte("x"), 501))}, "no text": {"a": ""},
		"a line break": {"a": "b\nc"},
	} {
		o.Metadata = metadata
		_, err := b.pay(t, s, newKey(), b.newBooking(t), o)
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", name, err)
	}
	require.Equal(t, 2, b.count(t, `SELECT count(*) FROM payments`))
}

func TestCreateAccount_RepeatedAfterACrash_MakesOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	s := b.process(t, withInterceptor(f))
	b.exec(t, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no'; END$$")
	b.exec(t, "CREATE TRIGGER refuse BEFORE INSERT ON payment_accounts FOR EACH ROW EXECUTE FUNCTION refuse()")
	key := newKey()
	create := func() (idempotency.Outcome, error) {
		return s.CreateAccount(t.Context(), b.tenant, request(t, key, "account"), payment.AccountRequest{Country: "DE"})
	}
	_, err := create()
	require.Error(t, err)
	b.exec(t, "DROP TRIGGER refuse ON payment_accounts")
	first, err := create()
	require.NoError(t, err)
	again, err := create()
	require.NoError(t, err)
	require.Equal(t, first.Body, again.Body)
	require.True(t, again.Replayed)
	direct, err := b.provider.CreateAccount(t.Context(), payment.AccountOrder{
		TenantID: b.tenant, Key: "account-" + b.tenant.String() + "-DE", Country: "DE",
	})
	require.NoError(t, err)
	require.Equal(t, direct.ID, *bodyOf[payment.AccountBody](t, first).AccountID, "the provider made one account")
	key = newKey()
	_, err = create()
	require.True(t, problem.Is(err, problem.AlreadyExists), "%v", err)
	_, err = s.CreateAccount(t.Context(), b.tenant, request(t, newKey(), "account"),
		payment.AccountRequest{Country: "de"})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

func TestChangeAccount_ByTheOperator_IsChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	a, err := s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.Equal(t, payment.TenantAccount{Provider: "sandbox"}, a)
	require.Equal(t, "platform", a.Body().PaymentsGoTo)
	_, err = s.OnboardingLink(t.Context(), b.tenant, onboardingPages)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)

	account := b.strangersAccount(t)
	a = b.setAccount(t, s, map[string]any{"account_id": account, "application_fee_basis_points": 100})
	require.True(t, a.CanCharge, "it was looked up")
	require.EqualValues(t, 1, a.Version)
	same := b.setAccount(t, s, map[string]any{"account_id": account})
	require.Equal(t, a.Version, same.Version)
	_, err = s.ChangeAccount(t.Context(), b.tenant, accountPatch(t, map[string]any{"account_id": nil}), `"7"`)
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	_, err = s.ChangeAccount(t.Context(), b.tenant, accountPatch(t, map[string]any{"account_id": "acct_unknown"}), "")
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	_, err = s.ChangeAccount(t.Context(), uuid.New(),
		accountPatch(t, map[string]any{"application_fee_basis_points": 1}), "")
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	for _, page := range []string{"http://shop.example/", "/account", "https://user:secret@shop.example/"} {
		_, err = s.OnboardingLink(t.Context(), b.tenant, payment.OnboardingPages{ReturnURL: page, RefreshURL: page})
		require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	}
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payment_accounts`))
}

func TestAccount_ProviderCanNotBeAsked_IsShownAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	s := b.process(t, withInterceptor(f))
	id := b.readyAccount(t, s, 0)
	b.outdate(t)
	f.findAccount = func(context.Context, string) (payment.Account, error) {
		return payment.Account{},
			errors.New("down")
	}
	a, err := s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.True(t, a.CanCharge)
	// Somebody else asks while this one waits for its answer, which is older then.
	f.findAccount = func(ctx context.Context, id string) (payment.Account, error) {
		f.findAccount = nil
		newer, err := s.Account(ctx, b.tenant)
		require.NoError(t, err)
		require.True(t, newer.CanCharge)
		return payment.Account{ID: id}, nil
	}
	a, err = s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.Equal(t, id, a.ID)
	a, err = s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.True(t, a.CanCharge, "the older answer didn't win")
	// The business has ended the platform's access.
	b.outdate(t)
	f.findAccount = func(context.Context, string) (payment.Account, error) {
		return payment.Account{},
			payment.ErrNoAccount
	}
	a, err = s.Account(t.Context(), b.tenant)
	require.NoError(t, err)
	require.Equal(t, []string{payment.Disconnected}, a.Requirements)
	require.Equal(t, "nowhere", a.Body().PaymentsGoTo)
	_, err = b.pay(t, s, newKey(), b.newBooking(t), balance("pm_ok"))
	require.True(t, problem.Is(err, problem.PaymentAccountNotReady), "%v", err)
}

func TestReconcile_AccountsThatDiffer_AreReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	account := b.readyAccount(t, s, 0)
	paid := b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	gone := b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	b.exec(t, `UPDATE payments SET account = NULL WHERE payment_id = $1`, paid)
	b.exec(t, `UPDATE payments SET account = 'acct_gone' WHERE payment_id = $1`, gone)
	found, err := s.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
	require.NoError(t, err)
	kinds := map[uuid.UUID][]payment.DifferenceKind{}
	for _, d := range found.Differences {
		kinds[d.Reference.ID] = append(kinds[d.Reference.ID], d.Kind)
	}
	require.Equal(t, map[uuid.UUID][]payment.DifferenceKind{
		paid: {payment.DiffOtherAccount}, gone: {payment.DiffOtherAccount},
	}, kinds, "both were made in %s", account)

	b.exec(t, `UPDATE payment_accounts SET account_id = 'acct_gone'`)
	b.exec(t, `UPDATE payments SET account = 'acct_gone'`)
	for _, run := range []func() (payment.Reconciliation, error){
		func() (payment.Reconciliation, error) {
			return s.Reconcile(t.Context(), testtime.Now().Add(-time.Hour), testtime.Now().Add(time.Hour))
		},
		func() (payment.Reconciliation, error) {
			return s.ReconcileTenant(t.Context(), b.tenant, testtime.Now().Add(-time.Hour),
				testtime.Now().Add(time.Hour))
		},
	} {
		found, err = run()
		require.NoError(t, err)
		require.Len(t, found.Differences, 3, "the account, and both payments")
		for _, d := range found.Differences {
			require.Equal(t, payment.DiffAccountUnreachable, d.Kind)
			require.Equal(t, b.tenant, d.Reference.TenantID)
		}
	}
}

// withoutAccounts is a provider that isn't set up for accounts.
type withoutAccounts struct{ payment.Provider }

func (withoutAccounts) HasAccounts() bool { return false }

func TestCreateAccount_NotSetUp_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, func(cfg *payment.Config) { cfg.Provider = withoutAccounts{cfg.Provider} })
	_, err := s.CreateAccount(t.Context(), b.tenant, request(t, newKey(), "account"),
		payment.AccountRequest{Country: ""})
	require.True(t, problem.Is(err, problem.PaymentsNotConfigured), "%v", err)
	_, err = s.ChangeAccount(t.Context(), b.tenant, accountPatch(t, map[string]any{"account_id": "acct_1"}), "")
	require.True(t, problem.Is(err, problem.PaymentsNotConfigured), "%v", err)
	_, err = s.OnboardingLink(t.Context(), b.tenant, onboardingPages)
	require.True(t, problem.Is(err, problem.PaymentsNotConfigured), "%v", err)
	require.Zero(t, b.count(t, `SELECT count(*) FROM payment_accounts`))
	b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
}

func TestOptions_OfATenantWithAnAccount_NameItAndWhetherItTakesPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	options := func() payment.Options {
		o, err := s.Options(t.Context(), b.tenant)
		require.NoError(t, err)
		return o
	}
	require.Equal(t, payment.Options{Provider: "sandbox", Ready: true}, options(), "the platform's own")
	account := b.readyAccount(t, s, 0)
	require.Equal(t, payment.Options{Provider: "sandbox", Account: account, Ready: true}, options())
	hold := b.book(t, b.bookingProcess(t), testtime.Date(0), true)
	paid := b.mustPay(t, s, hold, payment.PayRequest{Kind: payment.Deposit, Method: "pm_ok"})
	p, err := s.HoldPayment(t.Context(), b.tenant, hold, paid)
	require.NoError(t, err)
	require.Equal(t, &account, p.Body().Account)
	b.exec(t, "UPDATE payment_accounts SET can_charge = false, can_be_paid_out = false, refreshed_at = now()")
	require.Equal(t, payment.Options{Provider: "sandbox", Account: account}, options())
}

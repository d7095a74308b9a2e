package console_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

func TestWallets_ShowWhatTheyHave(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleRead), "/payments/wallets")
	for _, words := range []string{"Wallet in EUR", "Gift card in EUR", "Grace Hopper", "whoever has the code", "€49",
		"€50"} {
		require.Contains(t, p.Text(), words)
	}
	for _, words := range []string{"New gift card", "Look up", "Payments"} {
		require.NotContains(t, p.Text(), words, "the role lets look, and nothing else")
	}
	shown := f.at(t, p, "/payments/wallets/"+f.wallet)
	for _, words := range []string{"Wallet of Grace Hopper", "Available €49", "Credit", "−€1", "Balance"} {
		require.Contains(t, shown.Text(), words)
	}
	for _, words := range []string{"Add credit", "Spend credit", "Transfer"} {
		require.NotContains(t, shown.Text(), words)
	}
	require.NotContains(t, shown.Raw+p.Raw, f.code, "a code is shown once")
}

func TestWallet_OfACustomer_IsMadeOnce(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	form := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/customers/"+f.other).Follow(t, "New wallet").Form(t,
		"Make it")
	made := form.Submit(t)
	require.Contains(t, made.Text(), "The wallet is made.")
	require.Equal(t, "Wallet of Alan Turing EUR", made.Heading())
	require.Equal(t, made.URL.Path, form.Submit(t).URL.Path, "the same form again is the same request")
	require.Equal(t, http.StatusConflict, form.With("key", "another").Submit(t).Status, "there is one in a currency")
	for _, currency := range []string{"", "eur", "EURO", "€", "XXX", hostile} {
		require.Equal(t, http.StatusUnprocessableEntity,
			form.With("key", "k"+currency[:min(len(currency), 9)]).With("currency", currency).
				Submit(t).Status, currency)
	}
	require.Equal(t, 2, f.count(t, "SELECT count(*) FROM wallets WHERE customer_id IS NOT NULL"))
}

// codeOf returns the code that a page shows.
func codeOf(p *pagetest.Page) string {
	for _, n := range p.All(atom.Code) {
		if pagetest.Attribute(n, "class") == "secret-code" {
			return pagetest.Text(n)
		}
	}
	return ""
}

func TestGiftCard_CodeIsShownOnce_AndAnotherOneEndsIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	form := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/payments/wallets").Follow(t, "New gift card").Form(t,
		"Make it")
	made := form.Submit(t)
	code := codeOf(made)
	require.Regexp(t, `^[0-9A-Z-]{20,}$`, code)
	again := form.Submit(t)
	require.Equal(t, http.StatusOK, again.Status)
	require.NotContains(t, again.Raw, code)
	require.Contains(t, again.Text(), "The code was shown before")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM wallets"))

	lookUp := func(code string) *pagetest.Page {
		return s.at(t, made, "/payments/wallets").Form(t, "Look up").With("code", code).Submit(t)
	}
	card := lookUp(code)
	require.Equal(t, "Gift card EUR", card.Heading())
	require.NotContains(t, card.URL.String(), code, "no address has a code")
	rotate := card.Follow(t, "Another code").Form(t, "Make another code")
	rotated := rotate.Submit(t)
	second := codeOf(rotated)
	require.NotEmpty(t, second)
	require.NotEqual(t, code, second)
	require.Contains(t, rotate.Submit(t).Text(), "The code was shown before")
	require.Equal(t, card.URL.Path, lookUp(second).URL.Path, "the form that was sent twice made one code")
	require.Equal(t, http.StatusUnprocessableEntity, lookUp(code).Status)
	require.Contains(t, lookUp("nothing").Text(), "No gift card has this code.")
	require.Equal(t, http.StatusUnprocessableEntity, lookUp("").Status)
	require.NotContains(t, s.log.String(), code)
	require.NotContains(t, s.log.String(), second)
}

func TestWallet_CreditAndDebit_AreMadeOnceInTheVersionThatWasSeen(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/payments/wallets/"+f.wallet)
	credit := p.Follow(t, "Add credit").Form(t, "Add credit").With("amount", "12,50").With("reason", "Goodwill").
		With("reference", "4711").With("expires", testtime.Date(30).String())
	debit := p.Follow(t, "Spend credit").Form(t, "Spend credit").With("amount", "1")
	for range 2 {
		done := credit.Submit(t)
		require.Contains(t, done.Text(), "The credit is added.")
		require.Contains(t, done.Text(), "Goodwill 4711")
		require.Contains(t, done.Text(), "of it until")
	}
	require.Equal(t, 6150, f.balance(t, f.wallet))
	batches := f.call(t, http.MethodGet, "/v1/wallets/"+f.wallet, f.key, nil)["expiring"]
	require.Contains(t, toText(t, batches), testtime.Date(30).String()+"T22:00:00Z",
		"until the end of the day in Berlin")
	require.Equal(t, http.StatusPreconditionFailed, debit.Submit(t).Status, "the wallet has changed meanwhile")
	fresh := f.at(t, p, "/payments/wallets/"+f.wallet+"/debit").Form(t, "Spend credit")
	require.Equal(t, http.StatusUnprocessableEntity, fresh.With("amount", "61.51").Submit(t).Status,
		"more than there is")
	for range 2 {
		require.Contains(t, fresh.With("amount", "61.50").Submit(t).Text(), "The credit is spent.")
	}
	require.Zero(t, f.balance(t, f.wallet))
	for _, amount := range []string{"", "-1", "0", "1.234", "1e3", "99999999999999999999", "１２"} {
		form := f.at(t, p, "/payments/wallets/"+f.wallet+"/credit").Form(t, "Add credit").With("amount", amount)
		require.Equal(t, http.StatusUnprocessableEntity, form.Submit(t).Status, amount)
	}
	require.Zero(t, f.balance(t, f.wallet))
}

func TestTransfer_ToACustomerAndToAGiftCard_SaysFirstWhatWillHappen(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/payments/wallets/"+f.card+"/transfer")
	ask := p.Form(t, "Find").With("q", "grace@example.com").Submit(t).Follow(t, "Grace Hopper")
	shown := ask.Form(t, "See what will happen").With("amount", "20").With("reason", "Moved").Submit(t)
	require.Contains(t, shown.Text(), "Gift card then has €30")
	require.Contains(t, shown.Text(), "Wallet of Grace Hopper then has €69")
	require.Equal(t, 5000, f.balance(t, f.card), "nothing is moved yet")
	form := shown.Form(t, "Transfer €20")
	for range 2 {
		require.Contains(t, form.Submit(t).Text(), "The credit is transferred.")
	}
	require.Equal(t, []int{3000, 6900}, []int{f.balance(t, f.card), f.balance(t, f.wallet)})
	require.Equal(t, http.StatusPreconditionFailed, form.With("key", "another").Submit(t).Status,
		"the wallet has changed meanwhile")
	require.Equal(t, http.StatusUnprocessableEntity,
		f.at(t, p, "/payments/wallets/"+f.card+"/transfer/"+f.wallet+"?amount=30.01").Status)
	require.Equal(t, http.StatusUnprocessableEntity, f.at(t, p, "/payments/wallets/"+f.card+"/transfer/"+f.card).Status,
		"to itself")

	back := f.at(t, p, "/payments/wallets/"+f.wallet+"/transfer").Form(t, "Continue").With("code", f.code).Submit(t)
	require.Equal(t, "/console/harbour/payments/wallets/"+f.wallet+"/transfer/"+f.card, back.URL.Path)
	done := back.Form(t, "See what will happen").With("amount", "69").Submit(t).Press(t, "Transfer €69")
	require.Contains(t, done.Text(), "The credit is transferred.")
	require.Equal(t, []int{9900, 0}, []int{f.balance(t, f.card), f.balance(t, f.wallet)})
	dollars := f.made(t, "/v1/wallets", object{"currency": "USD"})
	require.Equal(t, http.StatusUnprocessableEntity,
		f.at(t, p, "/payments/wallets/"+f.card+"/transfer/"+dollars).Status)
}

func TestWallets_MoreThanAPage_AreAllFound(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	for range 27 {
		s.made(t, "/v1/wallets", object{"currency": "EUR"})
	}
	p := s.at(t, s.signedIn(t, "ada", user.RoleRead), "/payments/wallets")
	links := func(p *pagetest.Page) int {
		return len(regexp.MustCompile(`Gift card in EUR`).FindAllString(p.Raw, -1))
	}
	require.Equal(t, 25, links(p))
	require.Equal(t, 2, links(p.Follow(t, "More")))
}

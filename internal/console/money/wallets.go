package money

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// walletPageSize is how many wallets a page shows. It reads the customer of each.
const walletPageSize = 25

// walletsPage are the wallets of the tenant.
type walletsPage struct {
	Links    []web.NavLink
	Path     string
	Location *time.Location
	Rows     []walletRow
	Next     string // path of the page that follows; empty on the last one
	MayMoney bool
}

func (s section) showWallets(v *frame.Visit) error {
	page := walletsPage{Links: moneyLinks(v), Path: v.Path("payments", "wallets"), Location: v.Tenant().Location,
		MayMoney: v.May(operation.ScopeMoney)}
	after, err := v.After()
	if err != nil {
		return err
	}
	list, err := s.Wallets.List(v.Context(), v.Tenant(), nil, after, walletPageSize+1)
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, walletPageSize, func(last wallet.Wallet) string { return last.ID.String() })
	for _, w := range list {
		row, err := s.walletRow(v, w)
		if err != nil {
			return err
		}
		page.Rows = append(page.Rows, row)
	}
	return s.Render(v, http.StatusOK, "wallets", "Wallets", page)
}

// walletRow is a wallet in a list.
type walletRow struct {
	wallet.Wallet

	URL      string
	Owner    string // the customer's name; empty for a gift card
	OwnerURL string
}

// walletRow returns a wallet with its owner.
func (s section) walletRow(v *frame.Visit, w wallet.Wallet) (walletRow, error) {
	row := walletRow{Wallet: w, URL: walletPath(v, w.ID)}
	if w.CustomerID == nil {
		return row, nil
	}
	owner, err := s.Customers.Get(v.Context(), v.Tenant(), *w.CustomerID)
	row.Owner, row.OwnerURL = owner.Name, v.CustomerPath(*w.CustomerID)
	return row, err
}

// newWalletPage asks for a wallet.
type newWalletPage struct {
	Links    []web.NavLink
	Path     string
	Back     string
	Owner    *customer.Details // nil for a gift card
	Currency string
}

func (s section) showNewWallet(v *frame.Visit) error {
	page := newWalletPage{
		Links: moneyLinks(v), Path: v.Path("payments", "wallets", "new"), Back: v.Path("payments", "wallets"),
		Currency: v.Tenant().Currency,
	}
	title := "New gift card"
	if text := v.Query.Get("customer"); text != "" {
		id, err := web.ParseID(text)
		if err != nil {
			return err
		}
		owner, err := s.Customers.Get(v.Context(), v.Tenant(), id)
		if err == nil {
			err = owner.CheckPresent()
		}
		if err != nil {
			return err
		}
		page.Owner, page.Back, title = &owner, v.CustomerPath(id), "New wallet"
	}
	return s.Render(v, http.StatusOK, "new_wallet", title, page)
}

// walletCodePage shows the code of a gift card, once.
type walletCodePage struct {
	Links []web.NavLink
	Code  string // empty if it was shown before
	URL   string // path of the wallet
}

// createWallet makes a wallet of a customer, or a gift card, whose code the answer shows.
func (s section) createWallet(v *frame.Visit) error {
	var owner *uuid.UUID
	if text := v.Form.Get("customer"); text != "" {
		id, err := web.ParseID(text)
		if err != nil {
			return err
		}
		owner = &id
	}
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Wallets.Create(v.Context(), v.Tenant(), r,
			wallet.CreateRequest{CustomerID: owner, Currency: strings.TrimSpace(v.Form.Get("currency"))})
	})
	if err != nil {
		return err
	}
	if owner == nil {
		return s.showCode(v, response)
	}
	return v.Done("wallet_made", walletPath(v, response.ID))
}

// showCode shows the code that a response has. A form that is sent again gets the response without it.
func (s section) showCode(v *frame.Visit, response idempotency.Outcome) error {
	var made wallet.NewWalletBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	page := walletCodePage{Links: moneyLinks(v), Code: made.Code, URL: walletPath(v, made.ID)}
	return s.Render(v, http.StatusOK, "wallet_code", "Gift card", page)
}

// askToRotate asks whether a gift card gets another code.
func (s section) askToRotate(v *frame.Visit) error {
	page, err := s.walletOfPath(v)
	if err == nil && page.CustomerID != nil {
		err = problem.New(problem.InvalidState, "The wallet belongs to a customer and has no code.")
	}
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "wallet_rotate", "Another code", page)
}

func (s section) rotateCode(v *frame.Visit) error {
	id := v.ID("id")
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Wallets.RotateCode(v.Context(), v.Tenant(), r, id)
	})
	if err != nil {
		return err
	}
	return s.showCode(v, response)
}

// lookUpWallet finds the wallet of a code. The code comes in a form, so that no address has it.
func (s section) lookUpWallet(v *frame.Visit) error {
	w, err := s.walletOfCode(v)
	if err != nil {
		return err
	}
	return v.Finish(walletPath(v, w.ID))
}

// walletOfCode returns the wallet of the code that a form has. Errors: problem.ValidationFailed; those of
// wallet.Service.Lookup.
func (s section) walletOfCode(v *frame.Visit) (wallet.Wallet, error) {
	code := strings.TrimSpace(v.Form.Get("code"))
	w, err := s.Wallets.Lookup(v.Context(), v.Tenant(), wallet.LookupRequest{Code: code})
	if problem.Is(err, problem.NotFound) {
		err = problem.Invalid("code", "not_found", "No gift card has this code.")
	}
	return w, err
}

// walletPath is the path of a wallet, or below it.
func walletPath(v *frame.Visit, id uuid.UUID, below ...string) string {
	return v.Path(append([]string{"payments", "wallets", id.String()}, below...)...)
}

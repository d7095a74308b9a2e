package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

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

func (c *Console) showWallets(v *visit) error {
	page := walletsPage{Links: v.moneyLinks(), Path: v.path("payments", "wallets"), Location: v.tenant().Location,
		MayMoney: v.May(operation.ScopeMoney)}
	after, err := v.After()
	if err != nil {
		return err
	}
	list, err := c.Wallets.List(v.ctx(), v.tenant(), nil, after, walletPageSize+1)
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, walletPageSize, func(last wallet.Wallet) string { return last.ID.String() })
	for _, w := range list {
		row, err := c.walletRow(v, w)
		if err != nil {
			return err
		}
		page.Rows = append(page.Rows, row)
	}
	return c.render(v, http.StatusOK, "wallets", "Wallets", page)
}

// walletRow is a wallet in a list.
type walletRow struct {
	wallet.Wallet

	URL      string
	Owner    string // the customer's name; empty for a gift card
	OwnerURL string
}

// walletRow returns a wallet with its owner.
func (c *Console) walletRow(v *visit, w wallet.Wallet) (walletRow, error) {
	row := walletRow{Wallet: w, URL: v.walletPath(w.ID)}
	if w.CustomerID == nil {
		return row, nil
	}
	owner, err := c.Customers.Get(v.ctx(), v.tenant(), *w.CustomerID)
	row.Owner, row.OwnerURL = owner.Name, v.customerPath(*w.CustomerID)
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

func (c *Console) showNewWallet(v *visit) error {
	page := newWalletPage{
		Links: v.moneyLinks(), Path: v.path("payments", "wallets", "new"), Back: v.path("payments", "wallets"),
		Currency: v.tenant().Currency,
	}
	title := "New gift card"
	if text := v.Query.Get("customer"); text != "" {
		id, err := web.ParseID(text)
		if err != nil {
			return err
		}
		owner, err := c.Customers.Get(v.ctx(), v.tenant(), id)
		if err == nil {
			err = owner.CheckPresent()
		}
		if err != nil {
			return err
		}
		page.Owner, page.Back, title = &owner, v.customerPath(id), "New wallet"
	}
	return c.render(v, http.StatusOK, "new_wallet", title, page)
}

// walletCodePage shows the code of a gift card, once.
type walletCodePage struct {
	Links []web.NavLink
	Code  string // empty if it was shown before
	URL   string // path of the wallet
}

// createWallet makes a wallet of a customer, or a gift card, whose code the answer shows.
func (c *Console) createWallet(v *visit) error {
	var owner *uuid.UUID
	if text := v.Form.Get("customer"); text != "" {
		id, err := web.ParseID(text)
		if err != nil {
			return err
		}
		owner = &id
	}
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Wallets.Create(v.ctx(), v.tenant(), r,
			wallet.CreateRequest{CustomerID: owner, Currency: strings.TrimSpace(v.Form.Get("currency"))})
	})
	if err != nil {
		return err
	}
	if owner == nil {
		return c.showCode(v, response)
	}
	return v.done("wallet_made", v.walletPath(response.ID))
}

// showCode shows the code that a response has. A form that is sent again gets the response without it.
func (c *Console) showCode(v *visit, response idempotency.Outcome) error {
	var made wallet.NewWalletBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	page := walletCodePage{Links: v.moneyLinks(), Code: made.Code, URL: v.walletPath(made.ID)}
	return c.render(v, http.StatusOK, "wallet_code", "Gift card", page)
}

// askToRotate asks whether a gift card gets another code.
func (c *Console) askToRotate(v *visit) error {
	page, err := c.walletOfPath(v)
	if err == nil && page.CustomerID != nil {
		err = problem.New(problem.InvalidState, "The wallet belongs to a customer and has no code.")
	}
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "wallet_rotate", "Another code", page)
}

func (c *Console) rotateCode(v *visit) error {
	id := v.ID("id")
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Wallets.RotateCode(v.ctx(), v.tenant(), r, id)
	})
	if err != nil {
		return err
	}
	return c.showCode(v, response)
}

// lookUpWallet finds the wallet of a code. The code comes in a form, so that no address has it.
func (c *Console) lookUpWallet(v *visit) error {
	w, err := c.walletOfCode(v)
	if err != nil {
		return err
	}
	return v.Finish(v.walletPath(w.ID))
}

// walletOfCode returns the wallet of the code that a form has. Errors: problem.ValidationFailed; those of wallet.Service.Lookup.
func (c *Console) walletOfCode(v *visit) (wallet.Wallet, error) {
	code := strings.TrimSpace(v.Form.Get("code"))
	w, err := c.Wallets.Lookup(v.ctx(), v.tenant(), wallet.LookupRequest{Code: code})
	if problem.Is(err, problem.NotFound) {
		err = problem.Invalid("code", "not_found", "No gift card has this code.")
	}
	return w, err
}

// walletPath is the path of a wallet, or below it.
func (v *visit) walletPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"payments", "wallets", id.String()}, below...)...)
}

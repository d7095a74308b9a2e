package money

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// maxWalletsToChoose bounds the wallets of each customer that a page offers.
const maxWalletsToChoose = 5

// transferPage asks where credit goes, and says what will happen before it does.
type transferPage struct {
	walletPage

	Text  string
	Asked bool
	Found []walletRow
	More  bool // more are found than the page offers

	// To is the wallet that gets the credit; nil until it is chosen. Form is the path of the form that moves it.
	To   *walletRow
	Form string
	// Amount, Reason and Reference are those of the fields.
	Amount, Reason, Reference string
	// Shown says that the page shows what will happen. FromAfter and ToAfter are what each wallet will have available,
	// in minor units.
	Shown              bool
	Minor              int64
	FromAfter, ToAfter int64
}

func (s section) showTransfer(v *frame.Visit) error {
	from, err := s.walletOfPath(v)
	if err != nil {
		return err
	}
	page := transferPage{walletPage: from, Text: strings.TrimSpace(v.Query.Get("q"))}
	if page.Asked = page.Text != ""; page.Asked {
		if err := s.addWalletsOf(v, &page); err != nil {
			return err
		}
	}
	return s.Render(v, http.StatusOK, "transfer", "Transfer credit", page)
}

// addWalletsOf adds the wallets of the currency that the customers have whom the page's text names.
func (s section) addWalletsOf(v *frame.Visit, page *transferPage) error {
	customers, err := s.FindCustomers(v, customer.Filter{Limit: frame.MaxChoice + 1}, page.Text)
	if err != nil {
		return err
	}
	page.More = len(customers) > frame.MaxChoice
	for _, owner := range customers[:min(len(customers), frame.MaxChoice)] {
		list, err := s.Wallets.List(v.Context(), v.Tenant(), &owner.ID, uuid.Nil, maxWalletsToChoose)
		if err != nil {
			return err
		}
		for _, w := range list {
			if w.ID != page.ID && w.Currency == page.Currency {
				page.Found = append(page.Found,
					walletRow{Wallet: w, URL: walletPath(v, page.ID, "transfer", w.ID.String()),
						Owner: owner.Name})
			}
		}
	}
	return nil
}

// transferToCode leads to the page of a transfer to the gift card whose code was typed.
func (s section) transferToCode(v *frame.Visit) error {
	from, err := s.walletOfPath(v)
	if err != nil {
		return err
	}
	to, err := s.walletOfCode(v)
	if err != nil {
		return err
	}
	return v.Finish(walletPath(v, from.ID, "transfer", to.ID.String()))
}

// transferOfPath returns the two wallets that the path names. Errors: problem.NotFound; problem.ValidationFailed for
// two that credit can't go between.
func (s section) transferOfPath(v *frame.Visit) (page transferPage, err error) {
	if page.walletPage, err = s.walletOfPath(v); err != nil {
		return page, err
	}
	id := v.ID("to")
	w, err := s.Wallets.Get(v.Context(), v.Tenant(), id)
	if err != nil {
		return page, err
	}
	to, err := s.walletRow(v, w)
	switch {
	case err != nil:
	case to.ID == page.ID:
		err = problem.Invalid("to", "same_wallet", "Choose another wallet.")
	case to.Currency != page.Currency:
		err = problem.Invalid("to", "other_currency", "Choose a wallet of the same currency.")
	}
	page.To, page.Form = &to, walletPath(v, page.ID, "transfer", id.String())
	return page, err
}

// askToTransfer asks for the amount and, once it is known, says what will happen.
func (s section) askToTransfer(v *frame.Visit) error {
	page, err := s.transferOfPath(v)
	if err != nil {
		return err
	}
	page.Amount, page.Reason, page.Reference = v.Query.Get("amount"), v.Query.Get("reason"), v.Query.Get("reference")
	if page.Amount != "" {
		m, err := movementOf(v, v.Query, page.Currency)
		if err != nil {
			return err
		}
		page.Minor = m.Amount
		if page.Minor > page.Available() {
			return problem.New(problem.InsufficientFunds,
				"The wallet has "+web.Money(page.Available(), page.Currency)+" available.")
		}
		page.Shown, page.FromAfter, page.ToAfter = true, page.Available()-page.Minor, page.To.Available()+page.Minor
	}
	return s.Render(v, http.StatusOK, "transfer", "Transfer credit", page)
}

func (s section) transfer(v *frame.Visit) error {
	page, err := s.transferOfPath(v)
	if err != nil {
		return err
	}
	m, err := movementOf(v, v.Form, page.Currency)
	if err != nil {
		return err
	}
	return s.DoOnce(v, "transferred", page.Path, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Wallets.Transfer(v.Context(), v.Tenant(), r,
			wallet.TransferRequest{From: page.ID, To: page.To.ID, Amount: m.Amount, Description: m.Description})
	})
}

// ToName names the wallet that gets the credit.
func (p transferPage) ToName() string { return walletPage{walletRow: *p.To}.Title() }

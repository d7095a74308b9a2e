package money

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// walletPage is a wallet with its entries, or a form that changes it.
type walletPage struct {
	walletRow

	Links    []web.NavLink
	Path     string
	Tag      string // the version that the person sees
	Entries  []entryRow
	Next     string // path of the page with the entries that follow
	Location *time.Location
	MayMoney bool
}

// entryRow is an entry of a wallet with the pages of what it belongs to; each is empty without one.
type entryRow struct {
	wallet.Entry

	Other, Booking, Payment string
}

// Signed is the amount, less than zero if the entry lowers the balance.
func (r entryRow) Signed() int64 {
	switch r.Type {
	case wallet.Debited, wallet.TransferredOut, wallet.Captured, wallet.Expired, wallet.Paid:
		return -r.Amount
	default:
		return r.Amount
	}
}

// walletOfPath returns the wallet that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s section) walletOfPath(v *frame.Visit) (page walletPage, err error) {
	id := v.ID("id")
	w, err := s.Wallets.Get(v.Context(), v.Tenant(), id)
	if err != nil {
		return page, err
	}
	page = walletPage{
		Links: moneyLinks(v), Path: walletPath(v, id), Tag: strings.Trim(w.ETag(), `"`), Location: v.Tenant().Location,
		MayMoney: v.May(operation.ScopeMoney),
	}
	page.walletRow, err = s.walletRow(v, w)
	return page, err
}

func (s section) showWallet(v *frame.Visit) error {
	page, err := s.walletOfPath(v)
	if err != nil {
		return err
	}
	var after int64
	if text := v.Query.Get(web.FieldAfter); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 1 {
			return problem.Invalid(web.FieldAfter, "invalid_format", "Begin the list anew.")
		}
	}
	entries, err := s.Wallets.Entries(v.Context(), v.Tenant(), page.ID, after, frame.PageSize+1)
	if err != nil {
		return err
	}
	entries, page.Next = web.Page(v, entries, frame.PageSize, func(last wallet.Entry) string {
		return strconv.FormatInt(last.Version, 10)
	})
	for _, e := range entries {
		row := entryRow{Entry: e}
		if e.OtherWalletID != nil {
			row.Other = walletPath(v, *e.OtherWalletID)
		}
		if e.BookingID != nil {
			row.Booking = v.BookingPath(*e.BookingID)
		}
		if e.PaymentID != nil {
			row.Payment = paymentPath(v, *e.PaymentID)
		}
		page.Entries = append(page.Entries, row)
	}
	return s.Render(v, http.StatusOK, "wallet", page.Title(), page)
}

// Title names the wallet.
func (p walletPage) Title() string {
	if p.CustomerID == nil {
		return "Gift card"
	}
	return "Wallet of " + p.Owner
}

func (s section) showCredit(v *frame.Visit) error {
	return s.showWalletForm(v, "wallet_credit", "Add credit")
}

func (s section) showDebit(v *frame.Visit) error {
	return s.showWalletForm(v, "wallet_debit", "Spend credit")
}

func (s section) showWalletForm(v *frame.Visit, name, title string) error {
	page, err := s.walletOfPath(v)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, name, title, page)
}

func (s section) creditWallet(v *frame.Visit) error {
	expires, err := endOfDay("expires", v.Form.Get("expires"), v.Tenant().Location)
	if err != nil {
		return err
	}
	return s.changeWallet(v, "credited",
		func(r idempotency.Request, id uuid.UUID, m wallet.DebitRequest) (idempotency.Outcome, error) {
			return s.Wallets.Credit(v.Context(), v.Tenant(), r, id,
				wallet.CreditRequest{Amount: m.Amount, Description: m.Description, ExpiresAt: expires})
		})
}

func (s section) debitWallet(v *frame.Visit) error {
	return s.changeWallet(v, "debited", func(r idempotency.Request, id uuid.UUID,
		m wallet.DebitRequest) (idempotency.Outcome, error) {
		return s.Wallets.Debit(v.Context(), v.Tenant(), r, id, m)
	})
}

// changeWallet changes the wallet of the path once by the amount of the form, in the version that the person saw, and
// leads back.
func (s section) changeWallet(v *frame.Visit, done string,
	work func(idempotency.Request, uuid.UUID, wallet.DebitRequest) (idempotency.Outcome, error),
) error {
	page, err := s.walletOfPath(v)
	if err != nil {
		return err
	}
	m, err := movementOf(v, v.Form, page.Currency)
	if err != nil {
		return err
	}
	_, err = s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) { return work(r, page.ID, m) })
	if err != nil {
		return err
	}
	return v.Done(done, page.Path)
}

// movementOf returns what fields ask for. Errors: problem.ValidationFailed.
func movementOf(v *frame.Visit, fields url.Values, currency string) (m wallet.DebitRequest, err error) {
	m.Reason, m.Reference = strings.TrimSpace(fields.Get("reason")), strings.TrimSpace(fields.Get("reference"))
	m.IfMatch = string(v.Version())
	if m.Amount, err = form.MinorUnits("amount", fields.Get("amount"), currency); err != nil {
		return m, err
	}
	return m, bounds.Check("", m) // before the page says what will happen
}

// endOfDay returns the moment after a day of loc, nil without a text. Errors: problem.ValidationFailed.
func endOfDay(field, text string, loc *time.Location) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	d, err := datetime.ParseDate(field, text)
	if err == nil {
		err = datetime.CheckDate(field, d)
	}
	if err != nil {
		return nil, err
	}
	end := datetime.StartOfDay(d.AddDays(1), loc)
	return &end, nil
}

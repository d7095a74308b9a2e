package operator

import (
	"net/http"
	"strconv"

	"holdfast/internal/datetime"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// moneyPage is a tenant's account at the payment provider, and a comparison with the provider's journal if one was
// asked for.
type moneyPage struct {
	tenantHead

	Unset    bool // the server has no payment provider
	Account  payment.AccountBody
	Version  int64
	ID       string // of the account
	From, To string
	Found    *payment.ReconciliationBody
}

func (c *Console) showMoney(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	page := moneyPage{tenantHead: t, From: v.Query.Get("from"), To: v.Query.Get("to")}
	if t.Status != tenant.StatusDeleted {
		switch account, err := c.Payments.Account(v.ctx(), t.ID); {
		case problem.Is(err, problem.PaymentsNotConfigured):
			page.Unset = true
		case err != nil:
			return err
		default:
			page.Account, page.Version, page.ID = account.Body(), account.Version, account.ID
		}
	}
	if page.From != "" || page.To != "" {
		found, err := c.reconcile(v, t)
		if err != nil {
			return err
		}
		page.Found = &found
	}
	return c.render(v, http.StatusOK, "money", "Money of "+t.Slug, page)
}

// reconcile compares the payments of the dates of the query. It ends within 45 seconds.
func (c *Console) reconcile(v *visit, t tenantHead) (found payment.ReconciliationBody, err error) {
	if t.Status == tenant.StatusDeleted {
		return found, problem.Missing()
	}
	from, err := datetime.ParseDate("from", v.Query.Get("from"))
	if err != nil {
		return found, err
	}
	to, err := datetime.ParseDate("to", v.Query.Get("to"))
	if err != nil {
		return found, err
	}
	loc, err := t.Location()
	if err != nil {
		return found, err
	}
	return c.Payments.ReconcileDays(v.ctx(), t.ID, loc, payment.Days{From: from, To: to})
}

// changeAccount sets the account and the platform's fee of a tenant.
func (c *Console) changeAccount(v *visit) error {
	id := v.ID("id")
	fee, err := strconv.Atoi(v.field("fee"))
	if err != nil {
		return problem.Invalid("application_fee_basis_points", "invalid_format", "Expected a whole number.")
	}
	d := document{"application_fee_basis_points": fee}
	if account := v.field("account"); account != "" {
		d["account_id"] = account
	}
	asked, err := readBody[payment.AccountSpec](c, d)
	if err != nil {
		return err
	}
	patch, err := patchOf[payment.AccountSpec](document{
		"account_id": asked.AccountID, "application_fee_basis_points": asked.FeeBasisPoints,
	})
	if err != nil {
		return err
	}
	if _, err := c.Payments.ChangeAccount(v.ctx(), id, patch, v.version()); err != nil {
		return err
	}
	return v.done("account", tenantPath(id, "money"))
}

package pages

import (
	"net/http"
)

// receiptPage is the receipt of a payment.
type receiptPage struct {
	ownURLs

	Number, Issued      string
	Service, Date       string
	CustomerName, Email string
	Amount              string
	FromWallet          bool
	Method              string // of an offline payment; empty for others
	Refunds             []paymentLine
}

func (p *Pages) showReceipt(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	id := v.ID("payment")
	if err := p.requirePaymentOf(v, b, id); err != nil {
		return err
	}
	r, err := p.Payments.Receipt(v.ctx(), v.tenant.ID, id)
	if err != nil {
		return err
	}
	page := receiptPage{
		ownURLs:      p.urls(v),
		Number:       r.Number,
		Issued:       v.moment(r.IssuedAt),
		Service:      r.ServiceName,
		Date:         v.date(r.Date),
		CustomerName: r.CustomerName,
		Email:        r.CustomerEmail,
		Amount:       v.amount(r.Amount, r.Currency),
		FromWallet:   r.FromWallet,
		Method:       v.method(r.OfflineMethod),
	}
	for _, refund := range r.Refunds {
		page.Refunds = append(page.Refunds, paymentLine{
			Text: v.text("refunded_line"), Amount: v.amount(refund.Amount, r.Currency), Date: v.moment(refund.At),
			Method: v.method(refund.OfflineMethod),
		})
	}
	return p.render(v, http.StatusOK, "receipt", v.text("receipt"), page)
}

package payment

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// Receipt is a customer's proof of payment. Amounts are in minor units of Currency.
type Receipt struct {
	// Number is the payment's id in capitals.
	Number string
	// IssuedAt is when the payment succeeded, or when offline money was received. Date is the booking's civil date.
	// Both are in the booking's time zone.
	IssuedAt time.Time
	Date     civil.Date

	PaymentID, BookingID    uuid.UUID
	TenantName, ServiceName string
	// CustomerName and CustomerEmail are empty for a hold whose customer is not known.
	CustomerName, CustomerEmail string
	Amount                      int64
	Currency                    string
	// FromWallet: a wallet paid the amount. WalletAmount is what a wallet paid beside this payment by card, which
	// stands on a receipt of its own; nil if there is none.
	FromWallet bool
	// OfflineMethod is how an offline payment was received; empty for all others.
	OfflineMethod OfflineMethod
	WalletAmount  *int64
	Refunds       []ReceiptRefund
}

// ReceiptRefund is a refund on a receipt. At is when it succeeded, or when offline money was handed back, in the
// booking's time zone.
type ReceiptRefund struct {
	ID     uuid.UUID
	Amount int64
	At     time.Time
	// OfflineMethod is how offline money was handed back; empty for all others.
	OfflineMethod OfflineMethod
}

// Refunded returns the sum of the refunds, in minor units.
func (r Receipt) Refunded() (sum int64) {
	for _, refund := range r.Refunds {
		sum += refund.Amount
	}
	return sum
}

// Receipt returns the receipt of a payment that succeeded. Errors: problem.NotFound; problem.InvalidState for refunds
// and for payments that did not succeed; problem.DatabaseUnavailable.
func (s *Service) Receipt(ctx context.Context, tenant, id uuid.UUID) (Receipt, error) {
	row, refunds, err := s.receiptRows(ctx, tenant, id)
	switch {
	case err != nil:
		return Receipt{}, err
	case row.RefundOf != nil:
		return Receipt{}, problem.New(problem.InvalidState,
			"A refund has no receipt of its own: it stands on its payment's.")
	case row.Status != string(StatusSucceeded):
		return Receipt{}, problem.New(problem.InvalidState, "Only a payment that succeeded has a receipt.")
	}
	zone, err := timezone.Load(row.TimeZone)
	if err != nil {
		return Receipt{}, fmt.Errorf("load the booking's time zone: %w", err)
	}
	r := Receipt{
		Number:        strings.ToUpper(row.PaymentID.String()),
		IssuedAt:      movedAt(row.MovedAt, row.UpdatedAt).In(zone),
		Date:          row.Date,
		PaymentID:     row.PaymentID,
		BookingID:     row.BookingID,
		TenantName:    row.TenantName,
		ServiceName:   row.ServiceName,
		CustomerName:  row.CustomerName,
		CustomerEmail: row.CustomerEmail,
		Amount:        row.Amount,
		Currency:      row.Currency,
		FromWallet:    row.Provider == walletProvider,
		WalletAmount:  row.WalletAmount,
		OfflineMethod: offlineMethod(row.Provider, row.Method),
	}
	for _, refund := range refunds {
		r.Refunds = append(r.Refunds, ReceiptRefund{
			ID: refund.PaymentID, Amount: refund.Amount, At: movedAt(refund.MovedAt, refund.UpdatedAt).In(zone),
			OfflineMethod: offlineMethod(refund.Provider, refund.Method),
		})
	}
	return r, nil
}

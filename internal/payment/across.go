package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// AcrossFilter bounds the operator's list of payments and refunds of all tenants: those that were made in [From,
// Until). Empty and nil match all.
type AcrossFilter struct {
	From, Until *time.Time
	Tenant      *uuid.UUID
	Status      Status
	ProviderID  string
	// AfterAt and AfterID are CreatedAt and ID of the last payment of the page before, zero for the first page.
	AfterAt time.Time
	AfterID uuid.UUID
	Limit   int
}

// OperatorPaymentBody is a payment or refund of any tenant, as the operator sees it: without what is known of the
// customer and of the payment method.
type OperatorPaymentBody struct {
	ID         uuid.UUID  `json:"id" format:"uuid"`
	TenantID   uuid.UUID  `json:"tenant_id" format:"uuid"`
	BookingID  uuid.UUID  `json:"booking_id" format:"uuid"`
	Kind       Kind       `json:"kind"`
	Status     Status     `json:"status"`
	Amount     int64      `json:"amount" doc:"Minor units."`
	Currency   string     `json:"currency" example:"EUR"`
	Provider   string     `json:"provider" example:"stripe"`
	Account    *string    `json:"account,omitempty" example:"acct_1OxYz2" doc:"The tenant's account at the provider, in which it is made; absent if that is the platform's own."`
	ProviderID *string    `json:"provider_id,omitempty" doc:"The provider's id, once it is known."`
	RefundOf   *uuid.UUID `json:"refund_of,omitempty" format:"uuid" doc:"The payment that this refund returns."`
	Automatic  bool       `json:"automatic" doc:"A refund that the server made by itself."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

// ListAcross lists payments and refunds of all tenants by CreatedAt and id, at most the filter's limit. It is for the
// operator. Errors: problem.ValidationFailed for a time out of bounds; problem.DatabaseUnavailable.
func (s *Service) ListAcross(ctx context.Context, f AcrossFilter) ([]OperatorPaymentBody, error) {
	from, until := time.Date(minYear, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(maxYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, given := range []struct {
		field string
		at    *time.Time
		into  *time.Time
	}{{"from", f.From, &from}, {"until", f.Until, &until}} {
		if given.at == nil {
			continue
		}
		if given.at.UTC().Year() < minYear || given.at.UTC().Year() > maxYear {
			return nil, problem.Invalid(given.field, "out_of_range", "Expected a year from 1900 to 9000.")
		}
		*given.into = *given.at
	}
	rows, err := s.acrossRows(ctx, from, acrossFilter{
		Until:      until,
		Tenant:     f.Tenant,
		Status:     given((*string)(&f.Status)),
		ProviderID: given(&f.ProviderID),
		AfterAt:    f.AfterAt,
		AfterID:    f.AfterID,
		RowLimit:   int32(f.Limit),
	})
	list := make([]OperatorPaymentBody, len(rows))
	for i, r := range rows {
		list[i] = OperatorPaymentBody{
			ID:         r.PaymentID,
			TenantID:   r.TenantID,
			BookingID:  r.BookingID,
			Kind:       Kind(r.Kind),
			Status:     Status(r.Status),
			Amount:     r.Amount,
			Currency:   r.Currency,
			Provider:   r.Provider,
			Account:    r.Account,
			ProviderID: r.ProviderID,
			RefundOf:   r.RefundOf,
			Automatic:  r.Automatic,
			CreatedAt:  r.CreatedAt.UTC(),
			UpdatedAt:  r.UpdatedAt.UTC(),
		}
	}
	return list, err
}

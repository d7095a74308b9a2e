package stripe

import (
	"github.com/google/uuid"

	"holdfast/internal/payment"
)

// The names of our references in Stripe's metadata. They stand in every charge and refund that was ever made: they
// can't be changed.
const (
	tenantField  = "tenant_id"
	paymentField = "payment_id"
	refundField  = "refund_id"
)

func metadata(ref payment.Reference, field string) map[string]string {
	return map[string]string{tenantField: ref.TenantID.String(), field: ref.ID.String()}
}

// reference reads what metadata wrote. It returns false for what isn't ours: others may use the same Stripe account.
func reference(metadata map[string]string, field string) (payment.Reference, bool) {
	tenant, err := uuid.Parse(metadata[tenantField])
	if err != nil {
		return payment.Reference{}, false
	}
	id, err := uuid.Parse(metadata[field])
	return payment.Reference{TenantID: tenant, ID: id}, err == nil
}

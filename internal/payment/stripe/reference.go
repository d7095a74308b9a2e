package stripe

import (
	"github.com/google/uuid"

	"holdfast/internal/payment"
)

// The keys of our references in Stripe's metadata. All earlier charges and refunds have them, so they can't change.
const (
	tenantField  = "tenant_id"
	paymentField = "payment_id"
	refundField  = "refund_id"
	// checkoutField marks the PaymentIntent of a Checkout Session, whose state decides instead.
	checkoutField = "checkout"
)

func metadata(ref payment.Reference, field string) map[string]string {
	return map[string]string{tenantField: ref.TenantID.String(), field: ref.ID.String()}
}

// reference reads the reference that metadata wrote. It returns false for entries of other applications that use the same
// Stripe account.
func reference(metadata map[string]string, field string) (payment.Reference, bool) {
	tenant, err := uuid.Parse(metadata[tenantField])
	if err != nil {
		return payment.Reference{}, false
	}
	id, err := uuid.Parse(metadata[field])
	return payment.Reference{TenantID: tenant, ID: id}, err == nil
}

package stripe

import (
	"maps"

	"github.com/google/uuid"

	"holdfast/internal/payment"
)

// The keys of our references in Stripe's metadata: payment.ReservedMetadata. All earlier charges and refunds have them,
// so they can't change.
const (
	tenantField  = "tenant_id"
	paymentField = "payment_id"
	refundField  = "refund_id"
	// checkoutField marks the PaymentIntent of a Checkout Session, whose state decides instead.
	checkoutField = "checkout"
)

// metadata returns the tenant's own metadata, which may be nil, with ours, which wins.
func metadata(ref payment.Reference, field string, own map[string]string) map[string]string {
	all := make(map[string]string, len(own)+2)
	maps.Copy(all, own)
	all[tenantField], all[field] = ref.TenantID.String(), ref.ID.String()
	return all
}

// reference reads the reference that metadata wrote. It returns false for entries of other applications that use the
// same Stripe account.
func reference(metadata map[string]string, field string) (payment.Reference, bool) {
	tenant, err := uuid.Parse(metadata[tenantField])
	if err != nil {
		return payment.Reference{}, false
	}
	id, err := uuid.Parse(metadata[field])
	return payment.Reference{TenantID: tenant, ID: id}, err == nil
}

package frame

import "holdfast/internal/payment"

// ToHandBack are open offline refunds: money that people have to hand back.
type ToHandBack struct {
	Rows []payment.Listed
	More bool // there may be more than the page shows
}

// ToHandBack returns the open offline refunds, the oldest first.
func (c *Console) ToHandBack(v *Visit) (found ToHandBack, err error) {
	f := payment.Filter{Kind: payment.Refund, Status: payment.StatusProcessing, Limit: refundsStep}
	for range refundsSteps {
		list, err := c.Payments.ListAll(v.Context(), v.Tenant(), f)
		if err != nil {
			return found, err
		}
		for _, p := range list {
			if !p.WaitsForPerson() {
				continue
			}
			if len(found.Rows) == maxToHandBack {
				found.More = true
				return found, nil
			}
			found.Rows = append(found.Rows, p)
		}
		if len(list) < refundsStep {
			return found, nil
		}
		last := list[len(list)-1]
		f.AfterAt, f.AfterID = last.UpdatedAt, last.ID
	}
	found.More = true
	return found, nil
}

// Bounds of the open offline refunds that a page lists, and of the open refunds that are looked through for them.
const (
	maxToHandBack = 50
	refundsStep   = 100
	refundsSteps  = 5
)

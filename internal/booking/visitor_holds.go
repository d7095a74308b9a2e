package booking

import (
	"fmt"

	"holdfast/internal/db/store"
	"holdfast/internal/problem"
)

// readHolds has a transaction count the holds that visitors have open with the customer's email, if a visitor may open
// only so many.
func (c *CustomerChoice) readHolds(read *store.BookRead, rs *rules) {
	if c.Limited && c.Customer != nil {
		read.VisitorHolds = rs.limits.OpenHoldsPerEmail
	}
}

// checkHolds returns problem.ValidationFailed if visitors have as many holds open with the customer's email as the
// tenant allows. Holds that other requests make at the same moment aren't counted.
func (c *CustomerChoice) checkHolds(st store.BookState, rs *rules) error {
	if !c.Limited || c.Customer == nil || rs.limits.AllowHold(st.VisitorHolds) {
		return nil
	}
	const detail = "With this email %d holds are open, which is the most. " +
		"Confirm one, give one back, or wait until one ends."
	return problem.Invalid("customer.email", "too_many", fmt.Sprintf(detail, rs.limits.OpenHoldsPerEmail))
}

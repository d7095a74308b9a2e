package check

import (
	"net/http"
	"strings"
	"time"

	"holdfast/tools/torture/history"
)

// answers checks that each answer fits its request: nobody gets another's.
func (c *checker) answers() {
	for _, r := range c.requests {
		for _, op := range r.tries {
			if op.Status/100 == 2 {
				if wrong := r.misfit(op); wrong != "" {
					c.violate(RuleAnswer, []int64{op.ID}, "%s %s %s was answered with %s: %s", op.Method, op.Path, op.Request, wrong, op.Response)
				}
			}
		}
	}
	for _, op := range c.reads {
		kind, subject := route(op.Method, op.Path)
		if kind == "get" && op.Status == 200 && read[answer](op.Response).ID != subject {
			c.violate(RuleAnswer, []int64{op.ID}, "GET %s was answered with %s", op.Path, op.Response)
		}
	}
}

// misfit says what of an answer isn't what was asked for, and is empty if all is.
func (r *request) misfit(op history.Operation) string {
	want, got := read[wish](op.Request), read[answer](op.Response)
	kind, subject := route(op.Method, op.Path)
	switch kind {
	case "create":
		return want.misfit(got)
	case "confirm", "cancel", "complete", "no-show":
		if got.ID != subject {
			return "another booking"
		}
		if got.status() != after[kind] {
			return "another status"
		}
	case "pay":
		switch {
		case got.BookingID != subject:
			return "another booking"
		case got.Kind != want.Kind:
			return "another kind"
		case want.Amount != nil && *want.Amount != got.Amount:
			return "another amount"
		}
	case "cancel-payment":
		switch {
		case got.ID != subject:
			return "another payment"
		case op.Status == http.StatusOK && got.status() != declined:
			return "another status"
		}
	case "refund":
		switch {
		case got.RefundOf != subject:
			return "another payment"
		case want.Amount != nil && *want.Amount != got.Amount:
			return "another amount"
		}
	}
	return ""
}

var after = map[string]string{"confirm": "confirmed", "cancel": "cancelled", "complete": "completed", "no-show": "no_show"}

func (w wish) misfit(got answer) string {
	status := "confirmed"
	if w.HoldMinutes != nil {
		status = "held"
	}
	party := 1
	if w.PartySize != nil {
		party = *w.PartySize
	}
	switch {
	case got.ServiceID != w.ServiceID:
		return "another service"
	case w.ResourceID != nil && *w.ResourceID != got.ResourceID:
		return "another resource"
	case w.Date != nil && *w.Date != got.Date:
		return "another date"
	case got.PartySize != party:
		return "another party"
	case got.status() != status:
		return "another status"
	case w.CustomerID != "" && w.CustomerID != got.Customer.ID,
		w.Customer.Email != "" && !strings.EqualFold(w.Customer.Email, got.Customer.Email):
		return "another customer"
	case (w.HoldMinutes == nil) != (got.HoldExpiresAt == nil):
		return "another hold"
	case w.HoldMinutes != nil && got.HoldExpiresAt.Sub(got.CreatedAt) != time.Duration(*w.HoldMinutes)*time.Minute:
		return "another hold"
	}
	if w.StartsAt != nil {
		if at, err := time.Parse(time.RFC3339, *w.StartsAt); err != nil || !at.Equal(got.StartsAt) {
			return "another time"
		}
	}
	return ""
}

package check

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/tools/torture/history"
)

// answers checks that each answer fits its request.
func (c *checker) answers() {
	for _, r := range c.requests {
		for _, op := range r.tries {
			if op.Status/100 == 2 && r.amendment == nil { // amended judges those of amendments
				wrong := r.mismatch(op)
				if wrong == "" && walletKinds[r.kind] != "" {
					wrong = r.walletMismatch(op)
				}
				if wrong == "" && (r.is("create") || r.changes() || r.changesStay()) && !tagged(op) {
					wrong = "the entity tag " + op.ETag
				}
				if wrong != "" {
					c.violate(RuleAnswer, []int64{op.ID}, "%s %s %s was answered with %s: %s", op.Method, op.Path,
						op.Request, wrong,
						op.Response)
				}
			}
		}
	}
	for _, op := range c.reads {
		kind, subject := route(op.Method, op.Path)
		// walletState.shownBy checks a wallet's tag
		wrong := read[answer](op.Response).ID != subject || kind == "get" && !tagged(op)
		if (kind == "get" || kind == "wallet") && op.Status == 200 && wrong {
			c.violate(RuleAnswer, []int64{op.ID}, "GET %s was answered with %s", op.Path, op.Response)
		}
	}
}

// tagged reports whether the answer's entity tag is the version of the booking in it.
func tagged(op history.Operation) bool {
	return op.ETag == fmt.Sprintf("%q", strconv.FormatInt(read[answer](op.Response).Version, 10))
}

// mismatch says how an answer differs from its request, and is empty if it doesn't.
func (r *request) mismatch(op history.Operation) string {
	want, got := read[requestBody](op.Request), read[answer](op.Response)
	kind, subject := route(op.Method, op.Path)
	switch kind {
	case "create":
		return want.mismatch(got)
	case "confirm", "cancel", "complete", "no-show":
		if got.ID != subject {
			return "another booking"
		}
		if got.status() != after[kind] {
			return "another status"
		}
		if want.Customer.Email != "" && !strings.EqualFold(want.Customer.Email, got.Customer.Email) {
			return "another customer"
		}
	case "reschedule", "extend":
		if got.ID != subject {
			return "another booking"
		}
		return r.stayMismatch(want, got)
	case "pay":
		switch {
		case got.BookingID != subject:
			return "another booking"
		case got.Kind != want.Kind:
			return "another kind"
		case want.Amount != nil && *want.Amount != got.Amount+got.WalletAmount && !got.gaveBack(*want.Amount):
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

// gaveBack reports whether a card paid its part of an amount and the wallet beside it nothing: the booking had ended.
// walletPayments checks that the card's part was refunded.
func (a answer) gaveBack(amount int64) bool {
	return a.Provider != walletProvider && a.Wallet != "" && a.WalletAmount == 0 && a.Amount < amount &&
		a.status() == succeeded
}

var after = map[string]string{"confirm": "confirmed", "cancel": "cancelled", "complete": "completed",
	"no-show": "no_show"}

func (w requestBody) mismatch(got answer) string {
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
	case w.HoldMinutes != nil && w.CustomerID == "" && w.Customer.Email == "" && got.Customer.ID != "":
		return "a customer that wasn't given"
	case (w.HoldMinutes == nil) != (got.HoldExpiresAt == nil):
		return "another hold"
	case w.HoldMinutes != nil && got.HoldExpiresAt.Sub(got.CreatedAt) != time.Duration(*w.HoldMinutes)*time.Minute:
		return "another hold"
	}
	if !w.beginsAt(got.StartsAt) {
		return "another time"
	}
	return ""
}

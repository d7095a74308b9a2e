package money

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/console/frame"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// reconciliationPage compares the payments of some days with the payment provider.
type reconciliationPage struct {
	Links    []web.NavLink
	Path     string
	From, To string
	// Shown says that the page has a comparison, and not only the form that asks for one.
	Shown       bool
	Found       payment.ReconciliationBody
	First, Last time.Time
	Differences []differenceRow
	Offline     []tillRow
}

// differenceRow is a difference in words.
type differenceRow struct {
	payment.DifferenceBody

	URL string // of the payment; empty if it isn't one of the tenant's
}

// What says how the two differ, and ToDo what helps.
func (r differenceRow) What() string { return differenceWords[r.Kind].what }

// ToDo says what to do.
func (r differenceRow) ToDo() string { return differenceWords[r.Kind].toDo }

// differenceWords say what each kind of difference is, and what to do.
var differenceWords = map[payment.DifferenceKind]struct{ what, toDo string }{
	payment.DiffUnknownHere: {
		"The provider has money for a payment that isn’t here.",
		"Look it up at the provider. Refund it there if nobody knows it.",
	},
	payment.DiffOtherTenant:   {"The provider names another business for this payment.", askOperator},
	payment.DiffOtherProvider: {"It is at another provider than here.", askOperator},
	payment.DiffOtherAccount:  {"It is in another account than here.", askOperator},
	payment.DiffAccountUnreachable: {"The account at the provider can’t be looked at.",
		"Connect it again: see Payment account."},
	payment.DiffOtherKind: {"A payment on one side is a refund on the other.", askOperator},
	payment.DiffOtherTransaction: {"The provider has more than one, or another one than here.",
		"Look them up at the provider. Refund there what was charged twice."},
	payment.DiffDeclinedHere: {"The money moved, and here it is declined.",
		"Refund it at the provider if the customer doesn’t get anything for it."},
	payment.DiffAmount:   {"The amounts differ.", askOperator},
	payment.DiffCurrency: {"The currencies differ.", askOperator},
	payment.DiffNotAtProvider: {"Here it succeeded, and the provider doesn’t know it.",
		"Look it up at the provider. Ask the operator of this server if it isn’t there."},
	payment.DiffProviderUnset: {"This server doesn’t use the provider of the payment any more.", askOperator},
	payment.DiffStillOpen: {"The money moved, and here the payment has no end yet.",
		"Compare again in some minutes."},
	payment.DiffStuck: {"It has had no end for too long.", askOperator},
	payment.DiffKept:  {"It came too late or was too much, and could not be refunded by itself.", "Refund it."},
}

const askOperator = "Ask the operator of this server."

func (s section) showReconciliation(v *frame.Visit) error {
	page := reconciliationPage{Links: moneyLinks(v), Path: v.Path("payments", "reconciliation")}
	days, err := daysOf(v)
	if err != nil {
		return err
	}
	page.From, page.To = days.From.String(), days.To.String()
	return s.Render(v, http.StatusOK, "reconciliation", "Reconciliation", page)
}

// reconcile compares, and shows what was found. It changes nothing: a form asks for it because it takes long, and no
// link should.
func (s section) reconcile(v *frame.Visit) error {
	page := reconciliationPage{Links: moneyLinks(v), Path: v.Path("payments", "reconciliation"), Shown: true}
	v.Query = v.Form
	days, err := daysOf(v)
	if err != nil {
		return err
	}
	page.From, page.To = days.From.String(), days.To.String()
	if page.Found, err = s.Payments.ReconcileOwnDays(v.Context(), v.Tenant(), days); err != nil {
		return err
	}
	page.First, page.Last = page.Found.From, page.Found.Until.Add(-time.Second)
	for _, d := range page.Found.Differences {
		row := differenceRow{DifferenceBody: d}
		if d.Here != nil && d.PaymentID != uuid.Nil {
			row.URL = paymentPath(v, d.PaymentID)
		}
		page.Differences = append(page.Differences, row)
	}
	if page.Found.Offline != nil {
		if page.Offline, err = tillRows(*page.Found.Offline); err != nil {
			return err
		}
	}
	return s.Render(v, http.StatusOK, "reconciliation", "Reconciliation", page)
}

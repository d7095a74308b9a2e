package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Terms are what a service promises and a booking copies when it is made or quoted anew. A new promise is a field here,
// and its rules. The struct is what the API shows of both, and how both store it.
type Terms struct {
	CancellationPolicy CancellationPolicy `json:"cancellation_policy" required:"false" doc:"What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew."`
	ConfirmOnDeposit   bool               `json:"confirm_on_deposit" required:"false" doc:"true: the payment of a hold's deposit confirms the hold, if its customer is known. A booking has what the service said when it was made, or quoted anew."`
}

// check returns problem.ValidationFailed for the first field that is out of bounds.
func (t Terms) check() error { return t.CancellationPolicy.check() }

// Equal reports whether nothing differs.
func (t Terms) Equal(other Terms) bool { return reflect.DeepEqual(t, other) }

// NoTerms is what is stored of terms that promise nothing.
const NoTerms = "{}"

// Stored returns the terms as JSON, as they are stored.
func (t Terms) Stored() (json.RawMessage, error) {
	if t.Equal(Terms{}) {
		return json.RawMessage(NoTerms), nil
	}
	stored, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode a booking's terms: %w", err)
	}
	return stored, nil
}

// TermsOf reads terms as they are stored.
func TermsOf(stored json.RawMessage) (t Terms, err error) {
	if len(stored) == 0 || string(stored) == NoTerms {
		return t, nil
	}
	if err := json.Unmarshal(stored, &t); err != nil {
		return t, fmt.Errorf("read a booking's terms: %w", err)
	}
	return t, nil
}

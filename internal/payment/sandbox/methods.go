package sandbox

import "time"

// method is the behaviour of a test method's charges and refunds.
type method struct {
	status      status // of charges; empty: none is made
	declineCode string
	tryAgain    bool
	unanswered  bool // a request gets no response until its client disconnects
	slow        bool
	refundCode  string // decline code of refunds; empty: they succeed
}

// methods are the test methods. Decline codes and advice follow card networks: a generic decline isn't worth another
// try with the same card, a lack of funds may pass.
var methods = map[string]method{
	"pm_ok":                  {status: succeeded},
	"pm_declined":            {status: declined, declineCode: "generic_decline"},
	"pm_insufficient_funds":  {status: declined, declineCode: "insufficient_funds", tryAgain: true},
	"pm_timeout_charged":     {status: succeeded, unanswered: true},
	"pm_timeout_not_charged": {unanswered: true},
	"pm_slow":                {status: succeeded, slow: true},
	"pm_requires_action":     {status: requiresAction},
	"pm_refund_fails":        {status: succeeded, refundCode: "expired_or_canceled_card"},
}

const (
	codeActionFailed  = "authentication_failed"
	codeNotCharged    = "charge_not_captured"
	codeExceedsCharge = "amount_exceeds_charge"
)

// refund returns a new refund of c.
func (c *charge) refund(id string, q refundRequest, now time.Time) refund {
	r := refund{ID: id, Account: c.Account, refundRequest: q, Status: declined, CreatedAt: now}
	switch refundCode := methods[c.Method].refundCode; {
	case c.Status != succeeded:
		r.DeclineCode = codeNotCharged
	case refundCode != "":
		r.DeclineCode = refundCode
	case q.Amount > c.Amount-c.Refunded:
		r.DeclineCode = codeExceedsCharge
	default:
		r.Status = succeeded
	}
	return r
}

// event returns the event of c, whose status is final.
func (c *charge) event(id string) event {
	e := event{ID: id, Type: chargeSucceeded, CreatedAt: c.UpdatedAt, Account: c.Account, Charge: c}
	if c.Status == declined {
		e.Type = chargeDeclined
	}
	return e
}

func (r *refund) event(id string) event {
	e := event{ID: id, Type: refundSucceeded, CreatedAt: r.CreatedAt, Account: r.Account, Refund: r}
	if r.Status == declined {
		e.Type = refundFailed
	}
	return e
}

func (c *charge) transaction() transaction {
	return transaction{
		Type:      typeCharge,
		Account:   c.Account,
		ID:        c.ID,
		Reference: c.Reference,
		Amount:    c.Amount,
		Currency:  c.Currency,
		At:        c.UpdatedAt,
	}
}

func (r *refund) transaction() transaction {
	return transaction{
		Type:      typeRefund,
		Account:   r.Account,
		ID:        r.ID,
		Reference: r.Reference,
		Amount:    r.Amount,
		Currency:  r.Currency,
		At:        r.CreatedAt,
	}
}

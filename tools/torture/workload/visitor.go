package workload

import (
	"encoding/json"
	"net/http"

	"holdfast/tools/torture/history"
)

// mostVisits bounds how many holds a client goes on with as visitors of a website. Visitors of earlier ones have left.
const mostVisits = 4

// visitHold holds a time as a visitor of the tenant's website. Many visitors leave then, and nobody else goes on with
// their holds.
type visitHold struct{}

// Kind is "visitor-hold".
func (visitHold) Kind() string { return "visitor-hold" }

// Next requests what a hold of the tenant's own requests, without what is the tenant's own.
func (visitHold) Next(c *Client) *Request {
	r := create{hold: true}.Next(c)
	body := r.Body.(map[string]any) //nolint:forcetypeassert // create makes it
	delete(body, "metadata")
	delete(body, "update_customer")
	r.Path, r.Visitor = "/v1/holds", true
	return r
}

// Learn remembers the hold for the visitor alone.
func (visitHold) Learn(c *Client, _ *Request, a Answer) {
	var made struct{ ID string }
	if a.Outcome != history.Done || a.Replayed || json.Unmarshal(a.Body, &made) != nil {
		return
	}
	c.visits = append(c.visits, &visit{tenant: c.Tenant, Booking: &Booking{ID: made.ID}})
	c.visits = c.visits[max(len(c.visits)-mostVisits, 0):]
}

// visit is a hold of a visitor.
type visit struct {
	*Booking

	tenant *Tenant
}

// visited returns a hold of a visitor, and turns the client to its tenant; nil if there is none that suits.
func (c *Client) visited(suits func(*Booking) bool) *Booking {
	for _, i := range c.Random.Perm(len(c.visits)) {
		if v := c.visits[i]; suits(v.Booking) {
			c.Tenant = v.tenant
			return v.Booking
		}
	}
	return nil
}

// visitPay pays for a hold as its visitor. Some visitors go to the provider's page and never come back, some pay and
// never confirm.
type visitPay struct{}

// Kind is "visitor-pay".
func (visitPay) Kind() string { return "visitor-pay" }

// Next pays the deposit, or all of it.
func (visitPay) Next(c *Client) *Request {
	b := c.visited(func(b *Booking) bool { return !b.paid() })
	if b == nil {
		return nil
	}
	return &Request{Method: http.MethodPost, Path: "/v1/holds/" + b.ID + "/payments", Subject: b, Visitor: true,
		Body: map[string]any{
			"kind": []string{"deposit", "balance"}[c.Random.IntN(2)], "payment_method": method(c.Random),
		}}
}

// Learn remembers the payment.
func (visitPay) Learn(c *Client, r *Request, a Answer) { pay{}.Learn(c, r, a) }

// visitConfirm confirms a hold that its visitor has paid for.
type visitConfirm struct{}

// Kind is "visitor-confirm".
func (visitConfirm) Kind() string { return "visitor-confirm" }

// Next says who books, whether or not the hold has a customer.
func (visitConfirm) Next(c *Client) *Request {
	b := c.visited((*Booking).paid)
	if b == nil {
		return nil
	}
	guest := customer(c.Random)
	return &Request{
		Method: http.MethodPost, Path: "/v1/holds/" + b.ID + "/confirm", Subject: b, Visitor: true,
		Body: map[string]any{"customer": guest},
	}
}

// Learn has nothing to learn.
func (visitConfirm) Learn(*Client, *Request, Answer) {}

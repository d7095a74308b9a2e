package httpapi_test

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// crowdTenant is one of the crowd's tenants as a client.
type crowdTenant struct {
	client
	n        int // which one it is
	bookings int
	cursor   string // of the second page of its bookings
	plans    *explainer
}

func (c crowdTenant) id(kind, n int) string { return planID(kind, n, c.n).String() }

// free is a time in the future that nobody has booked.
func (c crowdTenant) free(t testingT) time.Time {
	t.Helper()
	n := c.count(t, "SELECT count(*) FROM bookings WHERE tenant_id = $1 AND date > current_date + 6", c.tenant)
	return testtime.Now().UTC().Truncate(24 * time.Hour).Add(time.Duration(10*24+n) * time.Hour)
}

func (c crowdTenant) held(t testingT, with ...object) string {
	t.Helper()
	a := c.book(t, planID(aService, 1, c.n), c.free(t), append(with, object{"hold_minutes": 60})...)
	return a.id(t).String()
}

// visit is a visitor's hold.
func (c crowdTenant) visit(t testingT) string {
	t.Helper()
	body := without(c.slot(t, 1, object{"hold_minutes": 60}), []any{"customer"})
	return c.created(t, c.post(t, "/v1/holds", body)).String()
}

func (c crowdTenant) paid(t testingT) string {
	t.Helper()
	a := c.pay(t, uuid.MustParse(c.held(t)), object{"kind": "deposit", "payment_method": "pm_ok"})
	return c.created(t, a).String()
}

// openRefund is a refund that a person completes.
func (c crowdTenant) openRefund(t testingT) string {
	t.Helper()
	a := c.pay(t, uuid.MustParse(c.held(t)),
		object{"kind": "deposit", "offline": object{"method": "cash", "note": "Taken by Ann"}})
	return c.client.openRefund(t, c.created(t, a).String())
}

// deadEvent is a new event that is dead.
func (c crowdTenant) deadEvent(t testingT) string {
	t.Helper()
	return c.schedule(t, scheduledEvent{status: "dead", due: testtime.Now()}).String()
}

// begun is a confirmed booking whose time has come.
func (c crowdTenant) begun(t testingT) string {
	t.Helper()
	var id uuid.UUID
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT booking_id FROM bookings
		WHERE tenant_id = $1 AND status = 'confirmed' AND starts_at < now() LIMIT 1`, c.tenant).Scan(&id))
	return id.String()
}

func (c crowdTenant) today(days int) civil.Date {
	return civil.DateOf(testtime.Now().UTC()).AddDays(days)
}

// slot asks for a booking of the nth service.
func (c crowdTenant) slot(t testingT, service int, with ...object) object {
	t.Helper()
	return bookingOf(planID(aService, service, c.n), c.free(t), with...)
}

// stay asks for 14 nights, which begin on the day after the last of the many before.
func (c crowdTenant) stay() object {
	return bookingOf(planID(aService, 5, c.n), nil,
		object{"check_in": c.today(1).String(), "check_out": c.today(15).String()})
}

// ownKey is a new API key of the tenant.
func (c crowdTenant) ownKey(t testingT) string {
	t.Helper()
	return c.created(t, c.post(t, "/v1/api-keys", object{"name": "Till", "scopes": []any{"read"}})).String()
}

// rareService is a new service of a new resource, with one booking.
func (c crowdTenant) rareService(t testingT) string {
	t.Helper()
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	c.book(t, service, future(0))
	return service.String()
}

func theWallet(c crowdTenant, _ testingT) string { return c.id(aWallet, 1) }

// card is a new wallet with a code.
func (c crowdTenant) card(t testingT) string {
	t.Helper()
	return c.created(t, c.post(t, "/v1/wallets", object{"currency": "EUR"})).String()
}

// walletHold is a new hold, with its wallet.
func (c crowdTenant) walletHold(t testingT) string {
	t.Helper()
	held := c.post(t, "/v1/wallets/"+c.id(aWallet, 1)+"/holds", object{"amount": 1})
	return c.id(aWallet, 1) + "/holds/" + held.field(t, "entry").(object)["hold_id"].(string)
}

func theEndpoint(c crowdTenant, _ testingT) string { return c.id(anEndpoint, 1) }

// newUser is a user that nobody else has.
func (c crowdTenant) newUser(t testingT) string {
	t.Helper()
	return c.created(t, c.post(t, "/v1/users", object{
		"email": uuid.NewString() + "@example.com", "name": "Grace", "role": "staff",
	})).String()
}

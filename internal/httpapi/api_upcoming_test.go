package httpapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// upcoming is a message that will be planned, as the API shows it.
type upcoming struct {
	Kind     string `json:"kind"`
	DueAt    string `json:"due_at"`
	TimeZone string `json:"time_zone"`
}

// upcoming lists the messages that will be planned, as a list of scheduled events with a query shows them.
func (c client) upcoming(t testingT, query string) []upcoming {
	t.Helper()
	a := c.get(t, scheduledEvents+"?"+query)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var page struct{ Upcoming []upcoming }
	a.read(t, &page)
	return page.Upcoming
}

// inBerlin is an upcoming message of a tenant in Berlin.
func inBerlin(kind string, due time.Time) upcoming {
	return upcoming{kind, due.Format(time.RFC3339), "Europe/Berlin"}
}

// born is a date of birth of which a birthday is on future(days).
func born(days int) string {
	d := future(days)
	d.Year = 1990
	return d.String()
}

// sendsEverything has the tenant ask for messages of all kinds, but for emails.
func (c client) sendsEverything(t testingT) {
	t.Helper()
	c.patch(t, "/v1/tenant", object{
		"reminders":   []any{object{"before_minutes": 120}, object{"days_before": 1, "at": "18:00"}},
		"balance_due": object{"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
		"greetings": object{"birthday": true, "anniversary": true},
	}).ok(t)
}

func TestUpcoming_BookingTenDaysAhead_ShowsItsMessagesThatPassTheFilters(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.sendsEverything(t)
	service := c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9))
	booking := c.book(t, service, at(future(10), 10, 0)).id(t)
	c.planMessages(t)
	nextYear := future(10)
	nextYear.Year++
	eve := inBerlin("booking.reminder", at(future(9), 18, 0))
	want := []upcoming{
		inBerlin("payment.balance_due", at(future(7), 9, 0)), eve, inBerlin("booking.reminder", at(future(10), 8, 0)),
		inBerlin("booking.follow_up", at(future(10), 12, 0)), inBerlin("booking.anniversary", at(nextYear, 9, 0)),
	}
	query := "subject=" + booking.String()
	require.Equal(t, want, c.upcoming(t, query))
	require.Equal(t, want, c.upcoming(t, query+"&status=pending"))
	require.Empty(t, c.list(t, scheduledEvents+"?kind=booking.reminder&"+query).Data, "nothing of it is planned yet")
	before := func(at time.Time) string { return query + "&due_before=" + url.QueryEscape(at.Format(time.RFC3339)) }
	require.Equal(t, want[1:3], c.upcoming(t, query+"&kind=booking.reminder"))
	require.Equal(t, want[:1], c.upcoming(t, before(at(future(9), 18, 0))))
	require.Equal(t, want[:2], c.upcoming(t, before(at(future(9), 18, 0).Add(time.Second))))
	require.Equal(t, []upcoming{eve}, c.upcoming(t, before(at(future(10), 8, 0))+"&kind=booking.reminder"))

	for _, without := range []string{
		"limit=200", query + "&status=completed", query + "&status=cancelled", query + "&kind=message.email",
		before(at(future(7), 9, 0)),
		"subject=" + service.String(), "subject=" + uuid.NewString(),
	} {
		a := c.get(t, scheduledEvents+"?"+without)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.body, "upcoming", without)
	}
	c.post(t, "/v1/bookings/"+booking.String()+"/cancel", nil).ok(t)
	require.Empty(t, c.upcoming(t, query))
}

func TestUpcoming_FurtherPages_DoNotRepeatIt(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.sendsEverything(t)
	booking := c.book(t, c.newService(t, "slot", nil, c.newResource(t, 9)), at(future(10), 10, 0)).id(t)
	for i := range 3 {
		c.schedule(t, scheduledEvent{kind: "booking.reminder", subject: booking, occurrence: strconv.Itoa(i),
			due: testtime.Now()})
	}
	path := scheduledEvents + "?limit=2&kind=booking.reminder&subject=" + booking.String()
	require.Len(t, c.upcoming(t, path[len(scheduledEvents)+1:]), 2)
	first := c.list(t, path)
	require.Len(t, first.Data, 2)
	second := c.get(t, path+"&cursor="+url.QueryEscape(first.NextCursor)).ok(t)
	require.Len(t, second.field(t, "data"), 1)
	require.NotContains(t, second.body, "upcoming")
}

func TestUpcoming_ServiceWithItsOwnReminders_ShowsThoseAlone(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.patch(t, "/v1/tenant", object{"reminders": []any{object{"before_minutes": 120}}}).ok(t)
	service := c.newService(t, "slot", object{"reminders": []any{object{"before_minutes": 30}}}, c.newResource(t, 9))
	query := "subject=" + c.book(t, service, at(future(10), 10, 0)).id(t).String()
	require.Equal(t, []upcoming{inBerlin("booking.reminder", at(future(10), 9, 30))}, c.upcoming(t, query))
	c.patch(t, servicePath(service), object{"reminders": nil}).ok(t)
	require.Equal(t, []upcoming{inBerlin("booking.reminder", at(future(10), 8, 0))}, c.upcoming(t, query))
}

func TestUpcoming_MessageThatIsPlanned_IsListedAmongTheEvents(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.patch(t, "/v1/tenant", object{"reminders": []any{object{"before_minutes": 120}}}).ok(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 9))
	starts := at(testtime.Tomorrow(), 12, 0)
	query := "subject=" + c.book(t, service, starts).id(t).String() + "&kind=booking.reminder"
	reminder := inBerlin("booking.reminder", starts.Add(-2*time.Hour).In(location(t, "Europe/Berlin")))
	require.Equal(t, []upcoming{reminder}, c.upcoming(t, query))
	require.Empty(t, c.list(t, scheduledEvents+"?"+query).Data)
	c.planMessages(t)
	require.Empty(t, c.upcoming(t, query))
	planned := c.list(t, scheduledEvents+"?"+query).Data
	require.Len(t, planned, 1)
	require.Equal(t, "pending", planned[0]["status"])
	require.Equal(t, []any{reminder.DueAt, reminder.TimeZone}, []any{planned[0]["due_at"], planned[0]["time_zone"]})

	c.changeScheduled(t, uuid.MustParse(planned[0]["id"].(string)), "cancel").ok(t)
	c.planMessages(t)
	require.Empty(t, c.upcoming(t, query), "what is cancelled isn't planned again")
	require.Len(t, c.list(t, scheduledEvents+"?status=cancelled&"+query).Data, 1)
}

func TestUpcoming_Customer_ShowsTheNextBirthdayAsLongAsItIsGreeted(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.sendsEverything(t)
	ada := c.created(t, c.post(t, "/v1/customers",
		object{"name": "Ada", "email": "ada@example.com", "birthday": born(10)}))
	grace := c.created(t,
		c.post(t, "/v1/customers", object{"name": "Grace", "email": "grace@example.com", "birthday": born(11)}))
	unborn := c.created(t, c.post(t, "/v1/customers", object{"name": "Bob", "email": "bob@example.com"}))
	of := func(id uuid.UUID) string { return "subject=" + id.String() }
	require.Equal(t, []upcoming{inBerlin("customer.birthday", at(future(10), 9, 0))}, c.upcoming(t, of(ada)))
	require.Equal(t, []upcoming{inBerlin("customer.birthday", at(future(11), 9, 0))},
		c.upcoming(t, of(grace)+"&kind=customer.birthday"))
	require.Empty(t, c.upcoming(t, of(grace)+"&kind=booking.anniversary"))
	require.Empty(t, c.upcoming(t, of(unborn)))
	require.Empty(t, c.newTenant(t, "UTC").upcoming(t, of(ada)), "another tenant sees nothing of it")

	require.Equal(t, http.StatusOK,
		subscriber{client: c, id: ada}.oneClick(t, unsubscribeLink(t, unsubscribeKey, c.tenant, ada)).status)
	require.Empty(t, c.upcoming(t, of(ada)), "unsubscribed")
	require.NotEmpty(t, c.upcoming(t, of(grace)))
	c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": false}}).ok(t)
	require.Empty(t, c.upcoming(t, of(grace)), "the tenant greets nobody")
	c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": true}}).ok(t)
	c.erased(t, grace)
	require.Empty(t, c.upcoming(t, of(grace)), "erased")
}

func TestUpcoming_BookingOfAnotherTenant_IsNotShown(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.sendsEverything(t)
	other := c.newTenant(t, "Europe/Berlin")
	other.sendsEverything(t)
	query := "subject=" + c.book(t, c.newService(t, "slot", nil, c.newResource(t, 9)),
		at(future(10), 10, 0)).id(t).String()
	require.NotEmpty(t, c.upcoming(t, query))
	require.Empty(t, other.upcoming(t, query))
}

func TestCustomers_ChangeOfBirthdayAndTimeZone_MovesTheBirthday(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": true}}).status)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	_, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com", "birthday": born(10)})
	query := "subject=" + ada.String()
	require.Equal(t, []upcoming{inBerlin("customer.birthday", at(future(10), 9, 0))}, c.upcoming(t, query))
	require.Equal(t, http.StatusOK,
		c.patch(t, customerPath(ada), object{"birthday": born(11), "time_zone": "Asia/Kathmandu"}).status)
	require.Equal(t, []upcoming{{"customer.birthday", future(11).String() + "T09:00:00+05:45", "Asia/Kathmandu"}},
		c.upcoming(t, query))
	require.Equal(t, http.StatusOK, c.patch(t, customerPath(ada), object{"birthday": nil}).status)
	require.Empty(t, c.upcoming(t, query))
}

package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/problem"
)

func (c client) patch(t testingT, path string, body any, headers ...string) answer {
	t.Helper()
	return c.send(t, http.MethodPatch, path, body, headers...)
}

func TestTenant_NewOne_SendsNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.get(t, "/v1/tenant")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `"1"`, a.header.Get("ETag"))
	require.Equal(t, c.tenant, a.id(t))
	require.Equal(t, []any{}, a.field(t, "reminders"))
	require.Equal(t, object{"birthday": false, "anniversary": false}, a.field(t, "greetings"))
	require.Equal(t, object{"templates": []any{}}, a.field(t, "email"))
	require.Nil(t, a.field(t, "balance_due"))
	require.Nil(t, a.field(t, "follow_up_minutes"))
	require.Equal(t, object{"succeeded": false, "declined": false, "refunded": false}, a.field(t, "payment_emails"))
	require.Equal(t, []any{}, a.field(t, "owner_emails"))
}

func TestTenant_WhoIsToldOfWhat_IsChangedAsOtherSettings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	office := object{"email": "office@harbour.example", "types": []any{"booking.confirmed", "payment.refunded"}}
	changed := c.patch(t, "/v1/tenant", object{"payment_emails": object{"declined": true}, "owner_emails": []any{office}})
	require.Equal(t, object{"succeeded": false, "declined": true, "refunded": false}, changed.field(t, "payment_emails"))
	require.Equal(t, []any{office}, changed.field(t, "owner_emails"))
	changed = c.patch(t, "/v1/tenant", object{"payment_emails": object{"succeeded": true}})
	require.Equal(t, object{"succeeded": true, "declined": true, "refunded": false}, changed.field(t, "payment_emails"))
	require.Equal(t, []any{office}, changed.field(t, "owner_emails"))
	require.Equal(t, `"3"`, changed.header.Get("ETag"))
	again := c.patch(t, "/v1/tenant", object{"owner_emails": []any{office}})
	require.Equal(t, `"3"`, again.header.Get("ETag"), "it is so already")
	require.Zero(t, c.plansAhead(t), "nothing is to be planned anew")
	changed = c.patch(t, "/v1/tenant", object{"payment_emails": nil, "owner_emails": nil})
	require.Equal(t, object{"succeeded": false, "declined": false, "refunded": false}, changed.field(t, "payment_emails"))
	require.Equal(t, []any{}, changed.field(t, "owner_emails"))
}

// Emails tell of payments from the change on that asks for the first of them, until none is asked for or nothing is sent.
func TestTenant_EmailsOfPayments_AreRememberedSinceWhen(t *testing.T) {
	t.Parallel()
	c := setup(t)
	since := func(change object) (at *string) {
		c.patch(t, "/v1/tenant", change).ok(t)
		require.NoError(t, c.sql.QueryRow(t.Context(), "SELECT settings ->> 'payments_told_since' FROM tenants WHERE tenant_id = $1",
			c.tenant).Scan(&at))
		return at
	}
	from := object{"from": object{"email": "booking@harbour.example"}}
	office := func(what string) object {
		return object{"owner_emails": []any{object{"email": "office@harbour.example", "types": []any{what}}}}
	}
	require.Nil(t, since(object{"payment_emails": object{"succeeded": true}}), "the tenant has no sender")
	first := since(object{"email": from})
	require.NotNil(t, first)
	require.Equal(t, first, since(object{"payment_emails": object{"refunded": true}}))
	require.Equal(t, first, since(office("payment.declined")))
	require.Equal(t, first, since(object{"payment_emails": nil}))
	require.Nil(t, since(office("booking.cancelled")), "the office isn't told of payments any more")
	second := since(office("payment.succeeded"))
	require.NotNil(t, second)
	require.Greater(t, *second, *first)
	require.Nil(t, since(object{"email": object{"from": nil}}))
}

func TestTenant_Change_KeepsWhatIsNotGivenAndRemovesWhatIsEmpty(t *testing.T) {
	t.Parallel()
	c := setup(t)
	all := object{
		"name":        "Harbour",
		"reminders":   []object{{"before_minutes": 120}, {"days_before": 0, "at": "08:00"}},
		"balance_due": object{"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60, "greetings": object{"birthday": true},
		"email": object{
			"from":      object{"name": "Harbour", "email": "booking@harbour.example"},
			"templates": []any{object{"template": "booking.reminder", "subject": "See you, {{customer_name}}", "text": "Bye"}},
		},
	}
	changed := c.patch(t, "/v1/tenant", all, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.Equal(t, `"2"`, changed.header.Get("ETag"))
	require.Equal(t, changed.body, c.get(t, "/v1/tenant").body)
	require.Equal(t, []any{object{"before_minutes": 120.0}, object{"days_before": 0.0, "at": "08:00"}}, changed.field(t, "reminders"))
	require.Equal(t, object{"birthday": true, "anniversary": false}, changed.field(t, "greetings"))

	changed = c.patch(t, "/v1/tenant", object{"greetings": object{"anniversary": true}})
	require.Equal(t, object{"birthday": true, "anniversary": true}, changed.field(t, "greetings"))
	require.Equal(t, "Harbour", changed.field(t, "name"))
	require.Equal(t, object{"days_before": 3.0, "at": "09:00"}, changed.field(t, "balance_due"))

	changed = c.patch(t, "/v1/tenant", object{
		"reminders": nil, "balance_due": nil, "follow_up_minutes": nil, "email": object{"from": nil, "templates": nil},
	})
	require.Equal(t, []any{}, changed.field(t, "reminders"))
	require.Nil(t, changed.field(t, "balance_due"))
	require.Nil(t, changed.field(t, "follow_up_minutes"))
	require.Equal(t, object{"templates": []any{}}, changed.field(t, "email"))
}

func TestTenant_ChangeToWhatIsSo_WritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	all := object{
		"name": "Harbour", "reminders": []object{{"before_minutes": 120}, {"days_before": 0, "at": "08:00"}},
		"balance_due": object{"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
		"greetings": object{"birthday": true, "anniversary": false},
		"email": object{
			"from":      object{"name": "Harbour", "email": "booking@harbour.example"},
			"templates": []any{object{"template": "booking.reminder", "subject": "See you", "text": "Bye"}},
		},
	}
	none := object{
		"reminders": []object{}, "balance_due": nil, "follow_up_minutes": 0, "greetings": object{"birthday": false},
		"email": object{"from": nil, "templates": []any{}},
	}
	row := func() (text string) {
		require.NoError(t, c.sql.QueryRow(t.Context(), "SELECT xmin::text || ' ' || catalog_version FROM tenants WHERE tenant_id = $1",
			c.tenant).Scan(&text))
		return text
	}
	for _, given := range []object{none, all, none} {
		first := c.patch(t, "/v1/tenant", given)
		require.Equal(t, http.StatusOK, first.status, first.body)
		stored := row()
		for _, again := range []object{given, {}, {"greetings": object{}, "email": object{}}} {
			a := c.patch(t, "/v1/tenant", again, "If-Match", first.header.Get("ETag"))
			require.Equal(t, []any{http.StatusOK, first.header.Get("ETag"), first.body}, []any{a.status, a.header.Get("ETag"), a.body},
				again)
			require.Equal(t, stored, row(), again)
		}
	}
	requireProblem(t, c.patch(t, "/v1/tenant", object{}, "If-Match", `"99"`), http.StatusPreconditionFailed, problem.VersionMismatch)
}

// plansAhead returns how often the event that plans the tenant's messages ahead was made due, 0 if it isn't due or isn't there.
// Then it lets the event wait.
func (c client) plansAhead(t testingT) int {
	t.Helper()
	n := c.count(t, `SELECT coalesce(sum(version), 0) FROM scheduled_events
		WHERE tenant_id = $1 AND subject_id = $1 AND subject_type = 'tenant' AND kind = 'message.plan_ahead' AND occurrence = ''
			AND status = 'pending' AND due_at <= now()`, c.tenant)
	_, err := c.sql.Exec(t.Context(), "UPDATE scheduled_events SET due_at = now() + interval '1 day' WHERE kind = 'message.plan_ahead'")
	require.NoError(t, err)
	return n
}

func TestTenant_ChangeOfWhatIsSent_PlansMessagesAnewAtOnce(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	for _, given := range []object{{"name": "Harbour"}, {"unique_references": true}, {"greetings": object{}}} {
		c.patch(t, "/v1/tenant", given).ok(t)
		require.Zero(t, c.plansAhead(t), given)
	}
	times := 0
	for _, given := range []object{
		{"reminders": []any{object{"before_minutes": 60}}}, {"balance_due": object{"days_before": 3, "at": "09:00"}},
		{"follow_up_minutes": 60},
		{"greetings": object{"birthday": true}}, {"greetings": object{"anniversary": true}}, {"reminders": []any{}},
		{"email": object{"from": object{"email": "booking@harbour.example"}}},
	} {
		c.patch(t, "/v1/tenant", given).ok(t)
		times++
		require.Equal(t, times, c.plansAhead(t), given)
		c.patch(t, "/v1/tenant", given).ok(t)
		require.Zero(t, c.plansAhead(t), "it is so already")
	}
	c.patch(t, "/v1/tenant", object{"email": object{"from": object{"email": "info@harbour.example"}}}).ok(t)
	require.Zero(t, c.plansAhead(t), "another sender plans the same")
	own := object{"reminders": []any{object{"before_minutes": 30}}}
	c.patch(t, servicePath(service), own).ok(t)
	times++
	require.Equal(t, times, c.plansAhead(t), "a service's own reminders")
	c.newService(t, "slot", own, c.newResource(t, 1))
	times++
	require.Equal(t, times, c.plansAhead(t), "a new service with its own reminders")
	c.newService(t, "slot", nil, c.newResource(t, 1))
	c.patch(t, servicePath(service), object{"name": "Trip"}).ok(t)
	require.Zero(t, c.plansAhead(t))
}

func TestTenant_Sender_IsMergedWithTheFormerOne(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.patch(t, "/v1/tenant", object{"email": object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}}})
	changed := c.patch(t, "/v1/tenant", object{"email": object{"from": object{"email": "info@harbour.example"}}})
	require.Equal(t, object{"from": object{"name": "Harbour", "email": "info@harbour.example"}, "templates": []any{}}, changed.field(t,
		"email"))
	changed = c.patch(t, "/v1/tenant", object{"email": object{"from": object{"name": nil}}})
	require.Equal(t, object{"from": object{"email": "info@harbour.example"}, "templates": []any{}}, changed.field(t, "email"))
}

func TestTenant_StaleIfMatch_Is412(t *testing.T) {
	t.Parallel()
	c := setup(t)
	requireProblem(t, c.patch(t, "/v1/tenant", object{"follow_up_minutes": 1}, "If-Match", `"2"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{"follow_up_minutes": 1}, "If-Match", `"2"`, "If-Match", `"1"`).status)
}

func TestTenant_InvalidChange_NamesTheField(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for body, field := range map[string]string{
		`{"reminder": []}`:                                              "reminder",
		`{"name": null}`:                                                "name",
		`{"reminders": [{"before_minutes": 0}]}`:                        "reminders[0].before_minutes",
		`{"reminders": [{}]}`:                                           "reminders[0].before_minutes",
		`{"reminders": [{"days_before": 1}]}`:                           "reminders[0].at",
		`{"reminders": [{"before_minutes": 1, "at": "08:00"}]}`:         "reminders[0].before_minutes",
		`{"reminders": [{"days_before": 1, "at": "24:00"}]}`:            "reminders[0].at",
		`{"reminders": [{"before_minutes": 5}, {"before_minutes": 5}]}`: "reminders[1]",
		`{"reminders": [{"days_before": 1, "at": "08:00"}, {"days_before": 1, "at": "08:00"}]}`:             "reminders[1]",
		`{"reminders": [{"before_minutes": 5, "often": true}]}`:                                             "reminders[0].often",
		`{"reminders": [{"at": "08:00"}]}`:                                                                  "reminders[0].days_before",
		`{"reminders": [{"days_before": 0}]}`:                                                               "reminders[0].at",
		`{"reminders": [{"before_minutes": 5, "days_before": 0}]}`:                                          "reminders[0].before_minutes",
		`{"balance_due": {"at": "08:00"}}`:                                                                  "balance_due.days_before",
		`{"balance_due": {"days_before": 366, "at": "08:00"}}`:                                              "balance_due.days_before",
		`{"follow_up_minutes": -1}`:                                                                         "follow_up_minutes",
		`{"greetings": {"christmas": true}}`:                                                                "greetings.christmas",
		`{"payment_emails": {"failed": true}}`:                                                              "payment_emails.failed",
		`{"payment_emails": {"declined": "yes"}}`:                                                           "payment_emails.declined",
		`{"owner_emails": {}}`:                                                                              "owner_emails",
		`{"owner_emails": [{"email": "a@b.example"}]}`:                                                      "owner_emails[0].types",
		`{"owner_emails": [{"types": ["booking.confirmed"]}]}`:                                              "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@b.example", "types": []}]}`:                                         "owner_emails[0].types",
		`{"owner_emails": [{"email": "a@b.example", "types": ["booking.held"]}]}`:                           "owner_emails[0].types[0]",
		`{"owner_emails": [{"email": "a b@c", "types": ["booking.confirmed"]}]}`:                            "owner_emails[0].email",
		`{"owner_emails": [{"email": "A <a@b.example>", "types": ["booking.confirmed"]}]}`:                  "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@b.example\r\nBcc: c@d.example", "types": ["booking.confirmed"]}]}`:  "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@[127.0.0.1]", "types": ["booking.confirmed"]}]}`:                    "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@b.example", "types": ["booking.confirmed", "booking.confirmed"]}]}`: "owner_emails[0].types[1]",
		`{"owner_emails": [{"email": "a@b.example", "types": ["booking.confirmed"]},
			{"email": "A@B.example", "types": ["payment.refunded"]}]}`: "owner_emails[1].email",
		`{"owner_emails": [` + strings.Repeat(`{"email": "a@b.example", "types": ["booking.confirmed"]},`, 10) +
			`{"email": "c@b.example", "types": ["booking.confirmed"]}]}`: "owner_emails",
		`{"name": " "}`:    "name",
		`{"name": "a\nb"}`: "name",
		`{"email": {"from": {"name": "Harbour"}}}`:                                                 "email.from.email",
		`{"email": {"from": {"email": "a@b.example\r\nBcc: c@d.example"}}}`:                        "email.from.email",
		`{"email": {"from": {"name": "A\r\nBcc: b", "email": "a@b.example"}}}`:                     "email.from.name",
		`{"email": {"from": {"name": "A\u202eB", "email": "a@b.example"}}}`:                        "email.from.name",
		`{"email": {"templates": [{"template": "booking.held", "text": "t", "subject": "a\nb"}]}}`: "email.templates[0].subject",
		`{"email": {"templates": {"booking.lost": {"subject": "a"}}}}`:                             "email.templates",
		`{"email": {"templates": [{"template": "booking.held"}]}}`:                                 "email.templates[0].subject",
		`{"email": {"templates": [{"template": "booking.held", "text": "t", "subject": "a"},
			{"template": "booking.held", "text": "t", "subject": "a"}]}}`: "email.templates[1].template",
		`{"email": {"templates": [{"template": "booking.held", "subject": "a"}]}}`:                              "email.templates[0].text",
		`{"email": {"templates": [{"template": "booking.held", "text": "{{> /etc/passwd}}", "subject": "a"}]}}`: "email.templates[0].text",
		`{"email": {"templates": [{"template": "booking.held", "text": "{{=<% %>=}}", "subject": "a"}]}}`:       "email.templates[0].text",
		`{"email": {"templates": [{"template": "booking.held", "text": "t", "subject": "a",
			"html": "{{{password}}}"}]}}`: "email.templates[0].html",
	} {
		a := c.patch(t, "/v1/tenant", body)
		requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Contains(t, a.body, `"field":"`+field+`"`, body)
	}
	require.Equal(t, `"1"`, c.get(t, "/v1/tenant").header.Get("ETag"), "nothing was changed")
}

func TestService_InvalidReminders_NameTheField(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	for field, reminders := range map[string][]object{
		"reminders[0].days_before": {{"at": "08:00"}},
		"reminders[0].at":          {{"days_before": 0}},
		"reminders[1]":             {{"days_before": 0, "at": "08:00"}, {"days_before": 0, "at": "08:00"}},
	} {
		a := c.post(t, "/v1/services", object{
			"name": "Tour", "kind": "slot", "resource_ids": []uuid.UUID{resource}, "duration_minutes": 60, "price": 0,
			"reminders": reminders,
		})
		requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Contains(t, a.body, `"field":"`+field+`"`)
	}
}

func TestService_RemindersOfItsOwn_AreShown(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	own := c.newService(t, "slot", object{"reminders": []object{{"before_minutes": 30}}}, resource)
	require.Equal(t, []any{object{"before_minutes": 30.0}}, c.get(t, "/v1/services/"+own.String()).field(t, "reminders"))
	none := c.newService(t, "slot", object{"reminders": []object{}}, resource)
	require.Equal(t, []any{}, c.get(t, "/v1/services/"+none.String()).field(t, "reminders"))
	plain := c.newService(t, "slot", nil, resource)
	require.Nil(t, c.get(t, "/v1/services/"+plain.String()).field(t, "reminders"))
}

func TestEmailPreview_TemplateOfTheRequest_IsRenderedAndNotStored(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.post(t, "/v1/tenant/email-preview", object{"template": "booking.reminder", "subject": "Ahoy {{customer_name}}"})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "Ahoy Ada Lovelace", a.text(t, "subject"))
	require.Contains(t, a.text(t, "html"), "Boat trip")
	requireProblem(t, c.post(t, "/v1/tenant/email-preview", object{"template": "booking.reminder", "text": "{{x}}"}),
		http.StatusUnprocessableEntity, problem.ValidationFailed)
	requireProblem(t, c.post(t, "/v1/tenant/email-preview", object{"template": "booking.reminder", "booking_id": uuid.NewString()}),
		http.StatusNotFound, problem.NotFound)
	require.Equal(t, `"1"`, c.get(t, "/v1/tenant").header.Get("ETag"))
}

// subscriber is a customer who can unsubscribe.
type subscriber struct {
	client
	id uuid.UUID
}

func newSubscriber(t *testing.T, c client) subscriber {
	t.Helper()
	made := c.post(t, "/v1/bookings", bookingOf(c.newService(t, "date", nil, c.newResource(t, 1)), future(0),
		object{"customer": object{"name": "Ada", "email": "ada@example.com"}}))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	var body struct{ Customer struct{ ID uuid.UUID } }
	made.read(t, &body)
	return subscriber{client: c, id: body.Customer.ID}
}

// unsubscribeLink returns the link of a customer's greetings.
func unsubscribeLink(t *testing.T, key string, tenant, customer uuid.UUID) string {
	t.Helper()
	unsubscribing, err := email.NewUnsubscriber([]byte(key))
	require.NoError(t, err)
	token := unsubscribing.Token(email.Subscription{TenantID: tenant, CustomerID: customer})
	return "/unsubscribe?token=" + url.QueryEscape(token)
}

// unsubscribed returns when the customer unsubscribed, nil before.
func (s subscriber) unsubscribed(t *testing.T) (at *time.Time) {
	t.Helper()
	require.NoError(t, s.sql.QueryRow(t.Context(), "SELECT unsubscribed_at FROM customers WHERE customer_id = $1", s.id).Scan(&at))
	return at
}

// oneClick unsubscribes as mail programs do (RFC 8058): without a key, and with a body that only says what is meant.
func (s subscriber) oneClick(t *testing.T, link string) answer {
	t.Helper()
	return client{apiServer: s.apiServer}.post(t, link, "List-Unsubscribe=One-Click",
		"Content-Type", "application/x-www-form-urlencoded", "Authorization", "", "Idempotency-Key", "")
}

func TestUnsubscribe_Link_AsksAndThenUnsubscribes(t *testing.T) {
	t.Parallel()
	c := newSubscriber(t, setup(t))
	link := unsubscribeLink(t, unsubscribeKey, c.tenant, c.id)
	unauthenticated := client{apiServer: c.apiServer}
	a := unauthenticated.get(t, link, "Authorization", "")
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `<form method="post">`)
	require.Equal(t, http.StatusOK, unauthenticated.send(t, http.MethodHead, link, nil, "Authorization", "").status)
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete} {
		requireProblem(t, unauthenticated.send(t, method, link, nil), http.StatusMethodNotAllowed, problem.MethodNotAllowed)
	}
	require.Nil(t, c.unsubscribed(t), "programs that look at links open them")
	a = c.oneClick(t, link)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.True(t, strings.HasPrefix(a.header.Get("Content-Type"), "text/html"))
	require.NotNil(t, c.unsubscribed(t))

	for _, path := range []string{"/unsubscribe", "/unsubscribe?token=", "/unsubscribe?token=x", link + "&token=x", link + "x"} {
		requireProblem(t, unauthenticated.get(t, path), http.StatusNotFound, problem.NotFound)
		requireProblem(t, unauthenticated.post(t, path, nil), http.StatusNotFound, problem.NotFound)
	}
}

func TestUnsubscribe_OneClickAsMultipart_Unsubscribes(t *testing.T) {
	t.Parallel()
	c := newSubscriber(t, setup(t))
	a := client{apiServer: c.apiServer}.post(t, unsubscribeLink(t, unsubscribeKey, c.tenant, c.id),
		"--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n",
		"Content-Type", "multipart/form-data; boundary=b", "Authorization", "", "Idempotency-Key", "")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.NotNil(t, c.unsubscribed(t))
}

func TestUnsubscribe_LinkOfAnotherTenantOrKey_LeavesTheCustomerSubscribed(t *testing.T) {
	t.Parallel()
	c := newSubscriber(t, setup(t))
	other := newSubscriber(t, c.newTenant(t, "UTC"))
	forged := c.oneClick(t, unsubscribeLink(t, strings.Repeat("guessed-", 4), c.tenant, c.id))
	requireProblem(t, forged, http.StatusNotFound, problem.NotFound)
	// Both customers have the same address.
	require.Equal(t, http.StatusOK, c.oneClick(t, unsubscribeLink(t, unsubscribeKey, other.tenant, other.id)).status)
	require.NotNil(t, other.unsubscribed(t))
	require.Nil(t, c.unsubscribed(t), "each tenant's emails are ended by themselves")
	c.oneClick(t, unsubscribeLink(t, unsubscribeKey, other.tenant, c.id))
	require.Nil(t, c.unsubscribed(t), "a tenant's token reaches no customer of another tenant")
}

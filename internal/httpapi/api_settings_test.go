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

// What settings decide is tried in internal/settings.
func TestTenant_Answers_HaveTagsAndShowWhatIsSet(t *testing.T) {
	t.Parallel()
	c := setup(t)
	read := c.get(t, "/v1/tenant").ok(t)
	require.Equal(t, `"1"`, read.header.Get("ETag"))
	require.Equal(t, c.tenant, read.id(t))
	for name, want := range map[string]any{
		"reminders": []any{}, "greetings": object{"birthday": false, "anniversary": false},
		"email":       object{"templates": []any{}},
		"balance_due": nil, "follow_up_minutes": nil, "owner_emails": []any{},
		"payment_emails": object{"succeeded": false, "declined": false, "refunded": false},
		"website":        object{"origins": []any{}, "limits": object{}},
	} {
		require.Equal(t, want, read.field(t, name), name)
	}
	requireProblem(t, c.patch(t, "/v1/tenant", object{"follow_up_minutes": 1}, "If-Match", `"2"`),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	set := object{
		"reminders":   []any{object{"before_minutes": 120.0}, object{"days_before": 0.0, "at": "08:00"}},
		"balance_due": object{"days_before": 3.0, "at": "09:00"}, "follow_up_minutes": 60.0,
		"email": object{
			"from": object{"name": "Harbour", "email": "booking@harbour.example"},
			"templates": []any{object{"template": "booking.reminder", "subject": "See you, {{customer_name}}",
				"text": "Bye"}},
		},
	}
	changed := c.patch(t, "/v1/tenant", set, "If-Match", `"2"`, "If-Match", `"1"`).ok(t)
	require.Equal(t, `"2"`, changed.header.Get("ETag"))
	require.Equal(t, changed.body, c.get(t, "/v1/tenant").body)
	for name, want := range set {
		require.Equal(t, want, changed.field(t, name), name)
	}
	for _, unknown := range []object{
		{"reminder": []any{}}, {"reminders": []any{object{"before_minutes": 5, "often": true}}},
		{"greetings": object{"christmas": true}},
		{"payment_emails": object{"failed": true}}, {"website": object{"limits": object{"days": 3}}},
	} {
		d := requireProblem(t, c.patch(t, "/v1/tenant", unknown), unprocessable, problem.ValidationFailed)
		require.Equal(t, "unknown_field", d.Errors[0].Code, "%+v", unknown)
	}
}

func TestEmailPreview_TemplateOfTheRequest_IsRenderedAndNotStored(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.post(t, "/v1/tenant/email-preview",
		object{"template": "booking.reminder", "subject": "Ahoy {{customer_name}}"})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "Ahoy Ada Lovelace", a.text(t, "subject"))
	require.Contains(t, a.text(t, "html"), "Boat trip")
	requireProblem(t, c.post(t, "/v1/tenant/email-preview", object{"template": "booking.reminder", "text": "{{x}}"}),
		http.StatusUnprocessableEntity, problem.ValidationFailed)
	requireProblem(t, c.post(t, "/v1/tenant/email-preview",
		object{"template": "booking.reminder", "booking_id": uuid.NewString()}),
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
	require.NoError(t, s.sql.QueryRow(t.Context(), "SELECT unsubscribed_at FROM customers WHERE customer_id = $1",
		s.id).Scan(&at))
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
		requireProblem(t, unauthenticated.send(t, method, link, nil), http.StatusMethodNotAllowed,
			problem.MethodNotAllowed)
	}
	require.Nil(t, c.unsubscribed(t), "programs that look at links open them")
	a = c.oneClick(t, link)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.True(t, strings.HasPrefix(a.header.Get("Content-Type"), "text/html"))
	require.NotNil(t, c.unsubscribed(t))

	for _, path := range []string{"/unsubscribe", "/unsubscribe?token=", "/unsubscribe?token=x", link + "&token=x",
		link + "x"} {
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

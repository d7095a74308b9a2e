package settings_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/tenant/tenanttest"
	"holdfast/internal/timetable"
)

// testBundle is a database with one tenant.
type testBundle struct {
	sql     *pgxpool.Pool
	store   *db.DB
	service *settings.Service
	tenant  uuid.UUID
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	url := dbtest.Database(t)
	b := &testBundle{sql: dbtest.SQL(t, url),
		store: dbtest.Open(t, db.Config{URL: url, MaxConns: 2, LockTimeout: time.Minute})}
	b.service = settings.NewService(b.store)
	b.tenant = b.newTenant(t)
	return b
}

func (b *testBundle) newTenant(t testing.TB) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, tenanttest.Insert(t.Context(), b.store, id))
	return id
}

func (b *testBundle) get(t testing.TB, tenant uuid.UUID) settings.Tenant {
	t.Helper()
	got, err := b.service.Get(t.Context(), tenant)
	require.NoError(t, err)
	return got
}

// change makes a change, and returns the tenant as it is read afterwards.
func (b *testBundle) change(t testing.TB, patch string) settings.Tenant {
	t.Helper()
	changed, err := b.service.Change(t.Context(), b.tenant, mergepatch.Of[settings.Spec](patch), "")
	require.NoError(t, err, patch)
	require.Equal(t, b.get(t, b.tenant).Body(), changed.Body())
	return changed
}

func TestGet_NewTenant_SendsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.get(t, b.tenant)
	require.EqualValues(t, 1, got.Version)
	require.Equal(t, settings.Settings{}, got.Settings)
	require.Empty(t, got.Templates)
}

func TestChange_OfWhoIsToldOfWhat_KeepsTheRest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const office = `{"owner_emails": [{"email": "office@harbour.example",
		"types": ["booking.confirmed", "payment.refunded"]}]}`
	b.change(t, `{"payment_emails": {"declined": true}}`)
	told := b.change(t, office).Settings.OwnerEmails
	require.Len(t, told, 1)
	changed := b.change(t, `{"payment_emails": {"succeeded": true}}`)
	require.Equal(t, settings.PaymentEmails{Succeeded: true, Declined: true}, changed.Settings.PaymentEmails)
	require.Equal(t, told, changed.Settings.OwnerEmails)
	require.Equal(t, changed.Version, b.change(t, office).Version, "it is so already")
	require.Zero(t, b.plansAhead(t), "nothing is to be planned anew")
	changed = b.change(t, `{"payment_emails": null, "owner_emails": null}`)
	require.Equal(t, settings.Settings{}, changed.Settings)
}

// Emails tell of payments from the change on that asks for the first of them, until none is asked for or nothing is
// sent.
func TestChange_EmailsOfPayments_AreRememberedSinceWhen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	since := func(patch string) *time.Time { return b.change(t, patch).Settings.PaymentsToldSince }
	office := func(what string) string {
		return `{"owner_emails": [{"email": "office@harbour.example", "types": ["` + what + `"]}]}`
	}
	require.Nil(t, since(`{"payment_emails": {"succeeded": true}}`), "the tenant has no sender")
	first := since(`{"email": {"from": {"email": "booking@harbour.example"}}}`)
	require.NotNil(t, first)
	for _, patch := range []string{`{"payment_emails": {"refunded": true}}`, office("payment.declined"),
		`{"payment_emails": null}`} {
		require.WithinDuration(t, *first, *since(patch), 0, patch)
	}
	require.Nil(t, since(office("booking.cancelled")), "the office isn't told of payments any more")
	second := since(office("payment.succeeded"))
	require.NotNil(t, second)
	require.True(t, second.After(*first))
	require.Nil(t, since(`{"email": {"from": null}}`))
}

const (
	everything = `{
		"name": "Harbour", "reminders": [{"before_minutes": 120}, {"days_before": 0, "at": "08:00"}],
		"balance_due": {"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
		"greetings": {"birthday": true, "anniversary": false},
		"email": {"from": {"name": "Harbour", "email": "booking@harbour.example"},
			"templates": [{"template": "booking.reminder", "subject": "See you, {{customer_name}}", "text": "Bye"}]}}`
	nothing = `{"reminders": null, "balance_due": null, "follow_up_minutes": null, "greetings": {"birthday": false},
		"email": {"from": null, "templates": null}}`
)

func TestChange_KeepsWhatIsNotGivenAndRemovesWhatIsEmpty(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.service.Change(t.Context(), b.tenant, mergepatch.Of[settings.Spec](everything), `"2"`)
	require.Equal(t, problem.VersionMismatch, problem.CodeOf(err))
	at := func(hour int) *event.LocalTime { return &event.LocalTime{Hour: hour} }
	want := settings.Settings{
		Reminders:       []event.Reminder{{BeforeMinutes: 120}, {At: at(8)}},
		BalanceDue:      &event.Reminder{DaysBefore: 3, At: at(9)},
		FollowUpMinutes: 60, Greetings: settings.Greetings{Birthday: true},
		From: &email.Address{Name: "Harbour", Email: "booking@harbour.example"},
	}
	require.Equal(t, want, b.change(t, everything).Settings)
	want.Greetings.Anniversary = true
	changed := b.change(t, `{"greetings": {"anniversary": true}}`)
	require.Equal(t, want, changed.Settings)
	require.Equal(t, "Harbour", changed.Name)
	require.Contains(t, changed.Templates, email.BookingReminder)

	want.From.Email = "info@harbour.example"
	require.Equal(t, want.From, b.change(t, `{"email": {"from": {"email": "info@harbour.example"}}}`).Settings.From)
	want.From.Name = ""
	require.Equal(t, want.From, b.change(t, `{"email": {"from": {"name": null}}}`).Settings.From)
	changed = b.change(t, nothing)
	require.Equal(t, settings.Settings{Greetings: settings.Greetings{Anniversary: true}}, changed.Settings)
	require.Empty(t, changed.Templates)
}

func TestChange_LimitsForVisitors_AreChangedOneByOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	limit := func(limits string) settings.Website {
		return b.change(t, `{"website": {"limits": `+limits+`}}`).Settings.Website
	}
	require.Equal(t, settings.VisitorLimits{Limits: timetable.Limits{Nights: 14, Units: 4}},
		limit(`{"nights": 14, "units": 4}`).Limits)
	b.change(t, `{"website": {"origins": ["https://www.harbour.example"]}}`)
	require.Equal(t, settings.VisitorLimits{Limits: timetable.Limits{Units: 4}, OpenHoldsPerEmail: 3},
		limit(`{"nights": null, "open_holds_per_email": 3}`).Limits)
	require.Zero(t, b.plansAhead(t), "nothing is to be planned anew")
	require.Equal(t, settings.Website{Origins: []tenant.Origin{"https://www.harbour.example"}}, limit("null"))
}

func TestChange_ToWhatIsSo_WritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := func() (text string) {
		require.NoError(t, b.sql.QueryRow(t.Context(),
			"SELECT xmin::text || ' ' || catalog_version FROM tenants").Scan(&text))
		return text
	}
	const emptied = `{"reminders": [], "balance_due": null, "follow_up_minutes": 0, "greetings": {"birthday": false},
		"email": {"from": null, "templates": []}}`
	for _, given := range []string{nothing, everything, emptied} {
		first := b.change(t, given)
		stored := row()
		for _, again := range []string{given, `{}`, `{"greetings": {}, "email": {}}`} {
			require.Equal(t, first, b.change(t, again), again)
			require.Equal(t, stored, row(), again)
		}
	}
}

// plansAhead returns how often the event that plans the tenant's messages ahead was made due, 0 if it isn't due or
// isn't there. Then it lets the event wait.
func (b *testBundle) plansAhead(t testing.TB) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT coalesce(sum(version), 0) FROM scheduled_events
		WHERE tenant_id = $1 AND subject_id = $1 AND subject_type = 'tenant' AND kind = 'message.plan_ahead'
			AND occurrence = '' AND status = 'pending' AND due_at <= now()`, b.tenant).Scan(&n))
	_, err := b.sql.Exec(t.Context(),
		"UPDATE scheduled_events SET due_at = now() + interval '1 day' WHERE kind = 'message.plan_ahead'")
	require.NoError(t, err)
	return n
}

func TestChange_OfWhatIsSent_PlansMessagesAnewAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, given := range []string{`{"name": "Harbour"}`, `{"unique_references": true}`, `{"greetings": {}}`} {
		b.change(t, given)
		require.Zero(t, b.plansAhead(t), given)
	}
	times := 0
	plansAnew := func(change func()) {
		t.Helper()
		times++
		change()
		require.Equal(t, times, b.plansAhead(t))
	}
	for _, given := range []string{
		`{"reminders": [{"before_minutes": 60}]}`, `{"balance_due": {"days_before": 3, "at": "09:00"}}`,
		`{"follow_up_minutes": 60}`,
		`{"greetings": {"birthday": true}}`, `{"greetings": {"anniversary": true}}`, `{"reminders": []}`,
		`{"email": {"from": {"email": "booking@harbour.example"}}}`,
	} {
		plansAnew(func() { b.change(t, given) })
		b.change(t, given)
		require.Zero(t, b.plansAhead(t), "it is so already")
	}
	b.change(t, `{"email": {"from": {"email": "info@harbour.example"}}}`)
	require.Zero(t, b.plansAhead(t), "another sender plans the same")

	products, owner := catalog.NewService(b.store), tenant.Tenant{ID: b.tenant, Location: time.UTC, Currency: "EUR"}
	resource, err := products.CreateResource(t.Context(), owner, request(t),
		catalog.Resource{Name: "Boat", Capacity: 1})
	require.NoError(t, err)
	create := func(own []settings.ReminderBody) uuid.UUID {
		made, err := products.CreateService(t.Context(), owner, request(t),
			catalog.ServiceSpec{Name: "Tour", Reminders: own,
				Spec: timetable.Spec{Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{resource.ID},
					DurationMinutes: 60}})
		require.NoError(t, err)
		return made.ID
	}
	change := func(service uuid.UUID, patch string) {
		_, err := products.ChangeService(t.Context(), owner, service, mergepatch.Of[catalog.ServiceSpec](patch), "")
		require.NoError(t, err)
	}
	service := create(nil)
	require.Zero(t, b.plansAhead(t))
	plansAnew(func() { change(service, `{"reminders": [{"before_minutes": 30}]}`) })
	plansAnew(func() { create([]settings.ReminderBody{{BeforeMinutes: 30}}) })
	change(service, `{"name": "Trip"}`)
	require.Zero(t, b.plansAhead(t))
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

func TestChange_ThatTheRulesRefuse_NamesTheField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const office = `"types": ["booking.confirmed"]`
	for patch, field := range map[string]string{
		`{"name": null}`: "name",
		`{"name": " "}`:  "name",
		`{"reminders": [{"before_minutes": 5}, {"before_minutes": 5}]}`:                         "reminders[1]",
		`{"reminders": [{"days_before": 1, "at": "08:00"}, {"days_before": 1, "at": "08:00"}]}`: "reminders[1]",
		`{"reminders": [{}]}`:                                      "reminders[0].before_minutes",
		`{"reminders": [{"days_before": 1}]}`:                      "reminders[0].at",
		`{"reminders": [{"at": "08:00"}]}`:                         "reminders[0].days_before",
		`{"reminders": [{"before_minutes": 1, "at": "08:00"}]}`:    "reminders[0].before_minutes",
		`{"reminders": [{"before_minutes": 5, "days_before": 0}]}`: "reminders[0].before_minutes",
		`{"balance_due": {"at": "08:00"}}`:                         "balance_due.days_before",
		`{"balance_due": {"days_before": 366, "at": "08:00"}}`:     "balance_due.days_before",
		`{"follow_up_minutes": -1}`:                                "follow_up_minutes",
		`{"owner_emails": [{"email": "a@b.example",
			"types": ["booking.confirmed", "booking.confirmed"]}]}`: "owner_emails[0].types[1]",
		`{"owner_emails": [{"email": "a b@c", ` + office +
			`}]}`: "owner_emails[0].email",
		`{"owner_emails": [{"email": "A <a@b.example>", ` + office +
			`}]}`: "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@b.example\r\nBcc: c@d.example", ` + office +
			`}]}`: "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@[127.0.0.1]", ` + office +
			`}]}`: "owner_emails[0].email",
		`{"owner_emails": [{"email": "a@b.example", ` + office + `}, {"email": "A@B.example", ` + office +
			`}]}`: "owner_emails[1].email",
		`{"email": {"from": {"name": "Harbour"}}}`:                             "email.from.email",
		`{"email": {"from": {"email": "a@b.example\r\nBcc: c@d.example"}}}`:    "email.from.email",
		`{"email": {"from": {"name": "A\r\nBcc: b", "email": "a@b.example"}}}`: "email.from.name",
		`{"email": {"from": {"name": "A\u202eB", "email": "a@b.example"}}}`:    "email.from.name",
		`{"email": {"templates": [{"template": "booking.held", "text": "t",
			"subject": "a\nb"}]}}`: "email.templates[0].subject",
		`{"email": {"templates": [{"template": "booking.held"}]}}`: "email.templates[0].subject",
		`{"email": {"templates": [{"template": "booking.held",
			"subject": "a"}]}}`: "email.templates[0].text",
		`{"email": {"templates": [{"template": "booking.held", "text": "{{=<% %>=}}",
			"subject": "a"}]}}`: "email.templates[0].text",
		`{"email": {"templates": [{"template": "booking.held", "text": "t", "subject": "a"},
			{"template": "booking.held", "text": "t", "subject": "a"}]}}`: "email.templates[1].template",
	} {
		_, err := b.service.Change(t.Context(), b.tenant, mergepatch.Of[settings.Spec](patch), "")
		fields := problem.DocumentOf(err).Errors
		require.NotEmpty(t, fields, "%s: %v", patch, err)
		require.Equal(t, field, fields[0].Name, patch)
	}
	require.EqualValues(t, 1, b.get(t, b.tenant).Version, "nothing was changed")
}

// picture returns an image of some pixels, as encode makes it.
func picture(t testing.TB, width, height int, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func asPNG(b *bytes.Buffer, m image.Image) error  { return png.Encode(b, m) }
func asJPEG(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) }
func asGIF(b *bytes.Buffer, m image.Image) error  { return gif.Encode(b, m, nil) }

func TestSetLogo_RaisesTheVersionOfTheSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	small, wide := picture(t, 1, 1, asPNG), picture(t, 1024, 1024, asJPEG)
	set := func(data []byte, ifMatch string, version int64) settings.Tenant {
		t.Helper()
		got, err := b.service.SetLogo(t.Context(), b.tenant, data, ifMatch)
		require.NoError(t, err)
		require.Equal(t, version, got.Version)
		require.Equal(t, b.get(t, b.tenant), got)
		return got
	}
	first := set(small, "", 2)
	require.Regexp(t, "^/book/[^/]+/logo/[0-9a-f]{16}$", first.LogoPath())
	set(small, "", 2) // it is so already
	for _, stale := range []func() (settings.Tenant, error){
		func() (settings.Tenant, error) { return b.service.SetLogo(t.Context(), b.tenant, wide, `"1"`) },
		func() (settings.Tenant, error) { return b.service.RemoveLogo(t.Context(), b.tenant, `"1"`) },
	} {
		_, err := stale()
		require.Equal(t, problem.VersionMismatch, problem.CodeOf(err))
		require.Equal(t, first, b.get(t, b.tenant))
	}
	other := set(wide, `"2"`, 3)
	require.NotEqual(t, first.LogoPath(), other.LogoPath())
	require.Equal(t, other.LogoPath(), b.change(t, `{"name": "Harbour"}`).LogoPath(), "other settings leave it")

	another := b.newTenant(t)
	require.Empty(t, b.get(t, another).LogoPath())
	_, err := b.service.RemoveLogo(t.Context(), another, "")
	require.NoError(t, err)
	require.NotEmpty(t, b.get(t, b.tenant).LogoPath(), "another tenant removed nothing of this one's")
	for range 2 {
		got, err := b.service.RemoveLogo(t.Context(), b.tenant, "")
		require.NoError(t, err)
		require.EqualValues(t, 5, got.Version)
		require.Empty(t, got.LogoPath())
	}
}

func TestSetLogo_ThatNoPageCanShow_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	whole := picture(t, 64, 64, asPNG)
	for name, data := range map[string][]byte{
		"SVG":              []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"HTML":             []byte("<!DOCTYPE html><script>alert(1)</script>"),
		"GIF":              picture(t, 2, 2, asGIF),
		"only a signature": []byte("\x89PNG\r\n\x1a\n"),
		"half a PNG":       whole[:len(whole)/2],
		"too wide":         picture(t, 1025, 1, asPNG),
		"too high":         picture(t, 1, 1025, asPNG),
		"too large":        []byte(strings.Repeat("A", settings.MaxLogoBytes+1)),
	} {
		_, err := b.service.SetLogo(t.Context(), b.tenant, data, "")
		fields := problem.DocumentOf(err).Errors
		require.Len(t, fields, 1, name)
		code := "invalid_image"
		if name == "too large" {
			code = "too_long"
		}
		require.Equal(t, []string{"data", code}, []string{fields[0].Name, fields[0].Code}, name)
	}
	require.EqualValues(t, 1, b.get(t, b.tenant).Version)
}

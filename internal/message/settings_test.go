package message_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/message"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/store/storetest"
)

func TestChangeSettings_BookingsAndCustomersExist_ArePlannedOnceInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, past := b.newService(t, nil), born(0)
	var made booking.BookingBody
	for range 3 {
		made = b.book(t, service, inDays(10), bornOn(past, "", ""))
	}
	cancelled := b.book(t, service, inDays(10))
	b.change(t, cancelled.ID, booking.Cancel)
	// More than two pages of bookings and of customers.
	b.exec(t, storetest.InsertBookings(`
		SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, 'confirmed', starts_at, ends_at, time_zone,
			int4multirange(int4range(100 + n, 101 + n)), busy_from, busy_until, NULL, 0, 0
		FROM bookings, generate_series(1, 450) AS n WHERE booking_id = $1`), made.ID)
	b.exec(t, `INSERT INTO customers (tenant_id, customer_id, email, name, birthday, created_at)
		SELECT $1, gen_random_uuid(), n || '@example.com', 'Ada', $2, now() FROM generate_series(1, 450) AS n`, b.tenant.ID, born(0).String())

	b.set(t, `{"reminders": [{"before_minutes": 120}], "greetings": {"birthday": true}}`)
	b.run(t)
	require.Len(t, b.events(t, event.KindBookingReminder), 453)
	require.Len(t, b.events(t, event.KindBirthday), 453)
	b.makeDue(t, event.KindReplan) // the second time, for bookings that committed meanwhile
	b.run(t)
	require.Len(t, b.events(t, event.KindBookingReminder), 453)
	require.Len(t, b.events(t, event.KindBirthday), 453)
	for _, e := range b.events(t, event.KindReplan) {
		require.Equal(t, "completed", e.Status, e.Occurrence)
	}
}

func TestChangeSettings_BookingWithAServiceOfItsOwnReminders_KeepsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.book(t, b.newService(t, []event.Reminder{{BeforeMinutes: 30}}), inDays(10))
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	b.run(t)
	require.Contains(t, b.only(t, event.KindBookingReminder).Occurrence, "30m/")
}

func TestChangeSettings_OnlyTheSender_PlansNothingAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	require.Empty(t, b.events(t))
}

func TestChangeSettings_Sender_IsStoredWithTheNamesOfTheAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	var stored string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT settings FROM tenants WHERE tenant_id = $1", b.tenant.ID).Scan(&stored))
	require.JSONEq(t, `{"from": {"name": "Harbour", "email": "booking@harbour.example"}}`, stored)
}

func TestChangeSettings_StaleVersion_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changed := b.set(t, `{"follow_up_minutes": 60}`)
	require.Equal(t, int64(2), changed.Version)
	minutes := 30
	_, err := b.settings.Change(t.Context(), b.tenant.ID, settings.Change{FollowUpMinutes: &minutes}, `"1"`)
	require.Equal(t, problem.VersionMismatch, problem.CodeOf(err))
	kept, err := b.settings.Get(t.Context(), b.tenant.ID)
	require.NoError(t, err)
	require.Equal(t, changed, kept)
}

func TestChangeSettings_AtOnce_LosesNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	minutes, yes := 30, true
	done := make(chan error, 3)
	for _, c := range []settings.Change{
		{FollowUpMinutes: &minutes}, {Greetings: &settings.GreetingsChange{Birthday: &yes}}, {Greetings: &settings.GreetingsChange{Anniversary: &yes}},
	} {
		go func() {
			_, err := b.settings.Change(t.Context(), b.tenant.ID, c, "")
			done <- err
		}()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
	kept, err := b.settings.Get(t.Context(), b.tenant.ID)
	require.NoError(t, err)
	require.Equal(t, int64(4), kept.Version)
	require.Equal(t, settings.Settings{FollowUpMinutes: 30, Greetings: settings.Greetings{Birthday: true, Anniversary: true}}, kept.Settings)
}

func TestPreview_BookingOrSample_IsRendered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"email": {"templates": [{"template": "booking.reminder", "subject": "Own", "text": "Text"}]}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	c, err := b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.reminder", Text: "{{service_name}}"})
	require.NoError(t, err)
	require.Equal(t, []string{"Own", "Boat trip"}, []string{c.Subject, c.Text})
	c, err = b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.reminder", Text: "{{service_name}}", BookingID: &made.ID})
	require.NoError(t, err)
	require.Equal(t, "Tour", c.Text)

	other := uuid.New()
	_, err = b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.reminder", BookingID: &other})
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.reminder", Text: "{{#price}}"})
	var refused *problem.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "text", refused.Fields[0].Name)
}

func TestPreview_GreetingForABooking_HasAnUnsubscribeLinkAsTheEmailHas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	for kind, text := range map[string]string{
		"booking.follow_up":   "{{unsubscribe_url}}",
		"booking.anniversary": "{{years}} {{unsubscribe_url}}",
		"customer.birthday":   "{{customer_name}} {{unsubscribe_url}}",
	} {
		c, err := b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: kind, Text: text, BookingID: &made.ID})
		require.NoError(t, err)
		want := strings.NewReplacer("{{unsubscribe_url}}", email.SampleUnsubscribeURL, "{{years}}", "1", "{{customer_name}}", "Ada").Replace(text)
		require.Equal(t, want, c.Text, kind)
	}
	c, err := b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.follow_up", BookingID: &made.ID})
	require.NoError(t, err)
	require.Contains(t, c.HTML, email.SampleUnsubscribeURL)
}

func TestPreview_EveryVariableOfAConfirmedBooking_HasAValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.book(t, b.newService(t, nil), inDays(10))
	for _, name := range email.Variables(email.BookingConfirmed) {
		c, err := b.messages.Preview(t.Context(), b.tenant.ID, message.Preview{Kind: "booking.confirmed", Text: "{{" + name + "}}", BookingID: &made.ID})
		require.NoError(t, err, name)
		if name != "amount_paid" && name != "amount_refunded" { // nothing was paid
			require.NotEmpty(t, c.Text, name)
		}
	}
}

package message_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/message"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

func TestChangeSettings_BookingWithAServiceOfItsOwnReminders_KeepsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.book(t, b.newService(t, []settings.ReminderBody{{BeforeMinutes: 30}}), inDays(10))
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	b.run(t)
	require.Contains(t, b.only(t, event.KindBookingReminder).Occurrence, "30m/")
}

func TestChangeSettings_Sender_IsStoredWithTheNamesOfTheAPI(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	var stored string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT settings FROM tenants WHERE tenant_id = $1",
		b.tenant.ID).Scan(&stored))
	require.JSONEq(t, `{"from": {"name": "Harbour", "email": "booking@harbour.example"}}`, stored)
}

func TestChangeSettings_StaleVersion_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changed := b.set(t, `{"follow_up_minutes": 60}`)
	require.Equal(t, int64(2), changed.Version)
	_, err := b.settings.Change(t.Context(), b.tenant.ID, mergepatch.Of[settings.Spec](`{"follow_up_minutes": 30}`),
		`"1"`)
	require.Equal(t, problem.VersionMismatch, problem.CodeOf(err))
	kept, err := b.settings.Get(t.Context(), b.tenant.ID)
	require.NoError(t, err)
	require.Equal(t, changed, kept)
}

func TestChangeSettings_AtOnce_LosesNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	done := make(chan error, 3)
	for _, c := range []string{`{"follow_up_minutes": 30}`, `{"greetings": {"birthday": true}}`,
		`{"greetings": {"anniversary": true}}`} {
		go func() {
			_, err := b.settings.Change(t.Context(), b.tenant.ID, mergepatch.Of[settings.Spec](c), "")
			done <- err
		}()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
	kept, err := b.settings.Get(t.Context(), b.tenant.ID)
	require.NoError(t, err)
	require.Equal(t, int64(4), kept.Version)
	require.Equal(t, settings.Settings{FollowUpMinutes: 30,
		Greetings: settings.Greetings{Birthday: true, Anniversary: true}},
		kept.Settings)
}

func TestPreview_BookingOrSample_IsRendered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"email": {"templates": [{"template": "booking.reminder", "subject": "Own", "text": "Text"}]}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	c, err := b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "booking.reminder", Text: "{{service_name}}"})
	require.NoError(t, err)
	require.Equal(t, []string{"Own", "Boat trip"}, []string{c.Subject, c.Text})
	c, err = b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "booking.reminder", Text: "{{service_name}}", BookingID: &made.ID})
	require.NoError(t, err)
	require.Equal(t, "Tour", c.Text)

	other := uuid.New()
	_, err = b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "booking.reminder", BookingID: &other})
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "booking.reminder", Text: "{{#price}}"})
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
		c, err := b.messages.Preview(
			t.Context(),
			b.tenant.ID,
			message.PreviewRequest{Template: settings.TemplateKind(kind), Text: text, BookingID: &made.ID},
		)
		require.NoError(t, err)
		want := strings.NewReplacer("{{unsubscribe_url}}", email.SampleUnsubscribeURL, "{{years}}", "1",
			"{{customer_name}}",
			"Ada").Replace(text)
		require.Equal(t, want, c.Text, kind)
	}
	c, err := b.messages.Preview(t.Context(), b.tenant.ID,
		message.PreviewRequest{Template: "booking.follow_up", BookingID: &made.ID})
	require.NoError(t, err)
	require.Contains(t, c.HTML, email.SampleUnsubscribeURL)
}

func TestPreview_EveryVariableOfAConfirmedBooking_HasAValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"booking_page": {"enabled": true, "contact": "+49 40 1234", "address": "Pier 7"}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	for _, name := range email.Variables(email.BookingConfirmed) {
		c, err := b.messages.Preview(t.Context(), b.tenant.ID,
			message.PreviewRequest{Template: "booking.confirmed", Text: "{{" + name + "}}", BookingID: &made.ID})
		require.NoError(t, err, name)
		if name != "amount_paid" && name != "amount_refunded" { // nothing was paid
			require.NotEmpty(t, c.Text, name)
		}
	}
}

package message_test

import (
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/timezone"
)

func bornOn(d civil.Date, email, timeZone string) func(*booking.New) {
	return func(n *booking.New) {
		n.Customer.Birthday = &d
		if email != "" {
			n.Customer.Email = email
		}
		if timeZone != "" {
			n.Customer.TimeZone = &timeZone
		}
	}
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

func TestBirthday_LeapDay_IsGreetedOnceEachYearWhereTheCustomerIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(date(2000, time.February, 29), "", "America/New_York"))
	loc := zone(t, "America/New_York")
	year := time.Now().In(loc).Year()
	if !time.Now().Before(time.Date(year, 2, 28, 9, 0, 0, 0, loc)) {
		year++
	}
	for i := range 5 {
		day := 28
		if time.Date(year+i, 2, 29, 0, 0, 0, 0, loc).Day() == 29 {
			day = 29
		}
		due := time.Date(year+i, 2, day, 9, 0, 0, 0, loc)
		events := b.events(t, event.KindBirthday)
		require.Len(t, events, i+1)
		next := events[i]
		require.Equal(t, strconv.Itoa(year+i), next.Occurrence)
		require.Equal(t, due.UTC(), next.DueAt.UTC())
		b.runAt(t, event.KindBirthday, due)
		// runAt moves what is due, and the order of the events is that of their time.
		b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", due, next.EventID)
		b.runAt(t, event.KindEmail, due.Add(time.Hour))
	}
	require.Equal(t, 5, b.told(t, made.Customer.ID, "customer.birthday"))
	require.Equal(t, 5, containing(b.outbox.subjects(), "Happy birthday, Ada!"))
}

func TestBirthday_DateHasPassed_IsSkippedAndTheNextOneIsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(date(1990, time.May, 4), "", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.runAt(t, event.KindBirthday, due.Add(15*time.Hour)) // midnight
	events := b.events(t, event.KindBirthday)
	require.Len(t, events, 2)
	require.Equal(t, due.In(b.tenant.Location).AddDate(1, 0, 0).UTC(), events[1].DueAt.UTC())
	require.Zero(t, b.told(t, made.Customer.ID, "customer.birthday"))
}

func TestBirthday_TimeZoneChanges_MovesTheGreeting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service, born := b.newService(t, nil), date(1990, time.May, 4)
	b.book(t, service, inDays(10), bornOn(born, "ada@example.com", "Europe/Berlin"))
	before := b.only(t, event.KindBirthday)
	b.book(t, service, inDays(10), bornOn(born, "ada@example.com", "Asia/Tokyo"))
	after := b.only(t, event.KindBirthday)
	require.Equal(t, before.EventID, after.EventID)
	_, tokyo := event.NextAnnual(born, event.LocalTime{Hour: 9}, zone(t, "Asia/Tokyo"), time.Now())
	require.Equal(t, tokyo.UTC(), after.DueAt.UTC())
}

func TestBirthday_CorrectedAfterItsGreeting_IsNotGreetedTwiceInAYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bornOn(date(1990, time.May, 4), "ada@example.com", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.runAt(t, event.KindBirthday, due)
	b.book(t, service, inDays(10), bornOn(date(1990, time.May, 5), "ada@example.com", ""))
	b.runAt(t, event.KindBirthday, due.AddDate(0, 0, 1))
	require.Equal(t, 1, b.told(t, made.Customer.ID, "customer.birthday"))
}

func TestBirthday_NoLongerWanted_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.book(t, b.newService(t, nil), inDays(10), bornOn(date(1990, time.May, 4), "", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.set(t, `{"greetings": {"birthday": false}}`)
	b.runAt(t, event.KindBirthday, due)
	ended := b.only(t, event.KindBirthday)
	require.Equal(t, "cancelled", ended.Status)
	require.Equal(t, "The settings no longer ask for greetings on birthdays.", ended.Reason)
}

func TestAnniversary_Due_TellsTheYearsAndPlansTheNextOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}, `+sender+`, "follow_up_minutes": 0}`)
	b.set(t, `{"email": {"templates": [{"template": "booking.anniversary", "subject": "{{years}} years since {{service_name}}", "text": "{{customer_name}}"}]}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	first := b.only(t, event.KindAnniversary)
	year, err := strconv.Atoi(first.Occurrence)
	require.NoError(t, err)
	require.Equal(t, made.StartsAt.In(b.tenant.Location).Year()+1, year)
	b.runAt(t, event.KindAnniversary, first.DueAt)
	b.runAt(t, event.KindEmail, first.DueAt)
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", first.DueAt, first.EventID)
	events := b.events(t, event.KindAnniversary)
	require.Len(t, events, 2)
	require.Equal(t, strconv.Itoa(year+1), events[1].Occurrence)
	require.Equal(t, 1, b.told(t, made.ID, "booking.anniversary"))
	require.Equal(t, "1 years since Tour", b.outbox.last(t).Subject)
	require.Empty(t, b.outbox.last(t).HTML, "the tenant's template has none")
}

func TestUnsubscribe_PlannedBirthday_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(date(1990, time.May, 4), "", ""))
	unsubscribe(t, b, made)
	unsubscribe(t, b, made)
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status)
}

package message_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
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
	loc, began := zone(t, "America/New_York"), testtime.Now()
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(date(2000, time.February, 29), "", "America/New_York"))
	greeted := func(year int) time.Time {
		day := 28
		if time.Date(year, 2, 29, 0, 0, 0, 0, loc).Day() == 29 {
			day = 29
		}
		return time.Date(year, 2, day, 9, 0, 0, 0, loc)
	}
	first := b.only(t, event.KindBirthday)
	year, err := strconv.Atoi(first.Occurrence)
	require.NoError(t, err)
	require.True(t, greeted(year-1).Before(began), "that of %d has passed", year-1)
	if greeted(year).Before(testtime.Now()) { // it is today, and due at once
		require.Equal(t, civil.DateOf(greeted(year)), civil.DateOf(first.DueAt.In(loc)))
		b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", greeted(year), first.EventID)
	}
	for i := range 5 {
		due := greeted(year + i)
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
	stored, err := b.customers.Get(t.Context(), b.tenant, made.Customer.ID)
	require.NoError(t, err)
	shown, err := json.Marshal(stored.Body())
	require.NoError(t, err)
	var told string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT min(data::text) FROM changes WHERE type = 'customer.birthday'").Scan(&told))
	require.JSONEq(t, string(shown), told, "the feed shows the customer as the API does")
}

func TestBirthday_DateHasPassed_IsNotGreetedAndTheNextOneIsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.runAt(t, event.KindBirthday, due.Add(15*time.Hour)) // midnight
	events := b.events(t, event.KindBirthday)
	require.Equal(t, []string{"cancelled", "pending"}, statuses(events))
	require.Equal(t, "The date has passed.", events[0].Reason)
	require.Equal(t, due.In(b.tenant.Location).AddDate(1, 0, 0).UTC(), events[1].DueAt.UTC())
	require.Zero(t, b.told(t, made.Customer.ID, "customer.birthday"))
}

func TestBirthday_CorrectedAfterAWrongDateHasPassed_IsGreetedThatYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	first := b.only(t, event.KindBirthday)
	b.runAt(t, event.KindBirthday, first.DueAt.Add(15*time.Hour))
	b.changeBirthday(t, made.Customer.ID, born(2).String())
	events := b.events(t, event.KindBirthday)
	require.Equal(t, []string{"pending", "cancelled"}, statuses(events))
	require.Equal(t, first.Occurrence, events[0].Occurrence)
	require.Equal(t, first.DueAt.AddDate(0, 0, 2), events[0].DueAt)
}

func TestBirthday_TimeZoneChanges_MovesTheGreeting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service, born := b.newService(t, nil), born(0)
	b.book(t, service, inDays(10), bornOn(born, "ada@example.com", "Europe/Berlin"))
	before := b.only(t, event.KindBirthday)
	b.book(t, service, inDays(10), bornOn(born, "ada@example.com", "Asia/Tokyo"), updatesCustomer)
	after := b.only(t, event.KindBirthday)
	require.Equal(t, before.EventID, after.EventID)
	_, tokyo := event.NextAnnual(born, event.LocalTime{Hour: 9}, zone(t, "Asia/Tokyo"), testtime.Now())
	require.Equal(t, tokyo.UTC(), after.DueAt.UTC())
}

func TestBirthday_CorrectedAfterItsGreeting_IsNotGreetedTwiceInAYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bornOn(born(0), "ada@example.com", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.runAt(t, event.KindBirthday, due)
	b.book(t, service, inDays(10), bornOn(born(1), "ada@example.com", ""))
	b.runAt(t, event.KindBirthday, due.AddDate(0, 0, 1))
	require.Equal(t, 1, b.told(t, made.Customer.ID, "customer.birthday"))
}

// changeBirthday sets a customer's birthday, or removes it with an empty one.
func (b *testBundle) changeBirthday(t testing.TB, customerID uuid.UUID, birthday string) {
	t.Helper()
	_, err := b.customers.Change(t.Context(), b.tenant, customerID, customer.Change{Birthday: &birthday}, "")
	require.NoError(t, err)
}

func TestBirthday_RemovedAndSetAgain_IsGreetedEachYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	planned := b.only(t, event.KindBirthday)
	b.exec(t, "UPDATE scheduled_events SET last_error = 'an earlier error', attempts = 3 WHERE event_id = $1", planned.EventID)

	b.changeBirthday(t, made.Customer.ID, "")
	ended := b.only(t, event.KindBirthday)
	require.Equal(t, "cancelled", ended.Status)
	require.Equal(t, "The customer's birthday isn't known any more.", ended.Reason)

	b.changeBirthday(t, made.Customer.ID, born(0).String())
	require.Equal(t, planned, b.only(t, event.KindBirthday))
	for i := range 3 {
		events := b.events(t, event.KindBirthday)
		require.Len(t, events, i+1)
		require.Equal(t, "pending", events[i].Status)
		b.runAt(t, event.KindBirthday, events[i].DueAt)
		b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", events[i].DueAt, events[i].EventID)
		require.Equal(t, i+1, b.told(t, made.Customer.ID, "customer.birthday"))
	}
}

// copyToNextYear plans the occurrence of the year after that of a greeting, 300 days after it.
func (b *testBundle) copyToNextYear(t testing.TB, id uuid.UUID) {
	t.Helper()
	b.exec(t, `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts, version,
			data, created_at, updated_at)
		SELECT tenant_id, gen_random_uuid(), kind, subject_type, subject_id, (occurrence::int + 1)::text, 'pending', due_at + '300 days', time_zone,
			0, 1, data, created_at, updated_at
		FROM scheduled_events WHERE event_id = $1`, id)
}

func TestBirthday_RemovedAndSetAgainWithTheNextYearsPlanned_IsGreetedInBothYears(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	// As if the birthday had been corrected to an earlier date and back.
	b.copyToNextYear(t, first.EventID)
	b.changeBirthday(t, made.Customer.ID, "")
	b.changeBirthday(t, made.Customer.ID, born(0).String())
	require.Equal(t, []string{"pending", "cancelled"}, statuses(b.events(t, event.KindBirthday)))

	b.runAt(t, event.KindBirthday, first.DueAt)
	require.Equal(t, 1, b.told(t, made.Customer.ID, "customer.birthday"))
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", first.DueAt, first.EventID)
	events := b.events(t, event.KindBirthday)
	require.Equal(t, []string{"completed", "pending"}, statuses(events))
	require.Equal(t, first.DueAt.In(b.tenant.Location).AddDate(1, 0, 0).UTC(), events[1].DueAt.UTC())
}

func TestBirthday_SetAgainWhileNoGreetingsAreWanted_IsGreetedOnceTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	planned := b.only(t, event.KindBirthday)
	b.changeBirthday(t, made.Customer.ID, "")
	b.set(t, `{"greetings": {"birthday": false}}`)
	b.run(t)
	b.changeBirthday(t, made.Customer.ID, born(0).String())
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status)
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.run(t)
	require.Equal(t, planned, b.only(t, event.KindBirthday))
}

// requireOneGreeting requires that the next birthday is planned, and no other one.
func (b *testBundle) requireOneGreeting(t testing.TB, birthday civil.Date) {
	t.Helper()
	on, due := event.NextAnnual(birthday, event.LocalTime{Hour: 9}, b.tenant.Location, testtime.Now())
	var pending []planned
	for _, e := range b.events(t, event.KindBirthday) {
		if e.Status == "pending" {
			pending = append(pending, e)
			continue
		}
		require.Equal(t, "The customer's next birthday is another one.", e.Reason)
	}
	require.Len(t, pending, 1)
	require.Equal(t, due.UTC(), pending[0].DueAt.UTC())
	require.Equal(t, strconv.Itoa(on.Year), pending[0].Occurrence)
}

func TestBirthday_ChangedToADateThatComesInAnotherYear_HasOneGreeting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	// Two days ago, which returns next year, and in two days, which returns this year: on all days but the first and the last two of a year.
	today := civil.DateOf(testtime.Now().In(b.tenant.Location))
	passed, ahead := today.AddDays(-2), today.AddDays(2)
	service, before, after := b.newService(t, nil), date(1992, passed.Month, passed.Day), date(1992, ahead.Month, ahead.Day)
	made := b.book(t, service, inDays(10), bornOn(after, "ada@example.com", ""))
	for range 2 {
		b.changeBirthday(t, made.Customer.ID, before.String())
		b.requireOneGreeting(t, before)
		b.changeBirthday(t, made.Customer.ID, after.String())
		b.requireOneGreeting(t, after)
	}
	b.book(t, service, inDays(11), bornOn(before, "ada@example.com", ""), updatesCustomer)
	b.requireOneGreeting(t, before)
	b.run(t)
	b.secondRun(t)
	b.requireOneGreeting(t, before)
}

func TestBirthday_RemovedAfterThisYearsGreetingAndSetAgain_IsGreetedInTheNextYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	b.runAt(t, event.KindBirthday, first.DueAt)
	b.changeBirthday(t, made.Customer.ID, "")
	b.changeBirthday(t, made.Customer.ID, born(1).String())
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", first.DueAt, first.EventID)
	events := b.events(t, event.KindBirthday)
	require.Equal(t, []string{"completed", "pending"}, statuses(events))
	_, due := event.NextAnnual(born(1), event.LocalTime{Hour: 9}, b.tenant.Location, first.DueAt.AddDate(0, 0, 2))
	require.Equal(t, due.UTC(), events[1].DueAt.UTC())
}

func TestBirthday_ChangedWhileGreetingsAreSwitchedOffAndOn_IsGreetedOnTheNewDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	b.run(t)
	b.secondRun(t)
	b.set(t, `{"greetings": {"birthday": false}}`)
	b.changeBirthday(t, made.Customer.ID, born(60).String()) // before a worker has ended what the settings no longer ask for
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.run(t)
	b.secondRun(t)
	b.requireOneGreeting(t, born(60))
}

func TestAnniversary_BookingChangesWhileGreetingsAreSwitchedOffAndOn_IsPlannedAgain(t *testing.T) {
	t.Parallel()
	other := booking.Update{CustomerChoice: booking.CustomerChoice{Customer: &booking.Customer{Name: "Grace", Email: "grace@example.com"}}}
	for name, change := range map[string]func(b *testBundle, id uuid.UUID){
		"moved":               func(b *testBundle, id uuid.UUID) { b.reschedule(t, id, to(inDays(12))) },
		"of another customer": func(b *testBundle, id uuid.UUID) { b.update(t, id, other) },
		"of another customer after an erasure": func(b *testBundle, id uuid.UUID) {
			b.set(t, `{"greetings": {"anniversary": true}}`)
			made, err := b.bookings.Get(t.Context(), b.tenant, id)
			require.NoError(t, err)
			_, err = b.customers.Erase(t.Context(), b.tenant, request(t), made.Customer.ID, "")
			require.NoError(t, err)
			b.set(t, `{"greetings": {"anniversary": false}}`)
			b.update(t, id, other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"anniversary": true}}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			b.run(t)
			b.secondRun(t)
			b.set(t, `{"greetings": {"anniversary": false}}`)
			change(b, made.ID)
			ended := b.only(t, event.KindAnniversary)
			require.Equal(t, "cancelled", ended.Status)
			require.Contains(t, []string{"The booking has changed.", "The customer was erased."}, ended.Reason)
			b.set(t, `{"greetings": {"anniversary": true}}`)
			b.run(t)
			b.secondRun(t)
			planned := b.only(t, event.KindAnniversary)
			require.Equal(t, "pending", planned.Status)
			now, err := b.bookings.Get(t.Context(), b.tenant, made.ID)
			require.NoError(t, err)
			_, due := event.NextAnnual(now.Date, event.LocalTime{Hour: 9}, b.tenant.Location, now.EndsAt)
			require.Equal(t, due.UTC(), planned.DueAt.UTC())
		})
	}
}

func TestBirthday_OfACustomerWhoHasUnsubscribed_IsNotPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bornOn(born(0), "ada@example.com", ""))
	other := b.book(t, service, inDays(11), bornOn(born(31), "grace@example.com", ""))
	b.exec(t, "UPDATE customers SET unsubscribed_at = now() WHERE customer_id = $1", made.Customer.ID)
	b.exec(t, "DELETE FROM scheduled_events WHERE subject_id = $1", made.Customer.ID)
	b.changeBirthday(t, made.Customer.ID, born(1).String())
	b.book(t, service, inDays(12), bornOn(born(2), "ada@example.com", ""))
	require.Equal(t, other.Customer.ID, b.only(t, event.KindBirthday).SubjectID)

	_, err := b.customers.Merge(t.Context(), b.tenant, request(t), made.Customer.ID, other.Customer.ID, "")
	require.NoError(t, err)
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status, "one of the two wants no greetings")
}

func statuses(events []planned) (found []string) {
	for _, e := range events {
		found = append(found, e.Status)
	}
	return found
}

func TestBirthday_NoLongerWanted_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
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

func TestMerge_CustomerWasGreeted_TheOneWhoStaysIsNotGreetedAgainThatYear(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"with a birthday of its own": true, "without a birthday": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true}}`)
			service, born := b.newService(t, nil), born(0)
			greeted := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
			first := b.only(t, event.KindBirthday)
			b.runAt(t, event.KindBirthday, first.DueAt)
			b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", first.DueAt, first.EventID)
			stays := b.book(t, service, inDays(11), func(n *booking.New) {
				if n.Customer.Email = "grace@example.com"; known {
					n.Customer.Birthday = &born
				}
			})
			_, err := b.customers.Merge(t.Context(), b.tenant, request(t), greeted.Customer.ID, stays.Customer.ID, "")
			require.NoError(t, err)
			b.run(t)
			var pending []string
			for _, e := range b.events(t, event.KindBirthday) {
				if e.Status == "pending" {
					require.Equal(t, stays.Customer.ID, e.SubjectID)
					pending = append(pending, e.Occurrence)
				}
			}
			year, err := strconv.Atoi(first.Occurrence)
			require.NoError(t, err)
			require.Equal(t, []string{strconv.Itoa(year + 1)}, pending)
			require.Equal(t, 1, b.told(t, greeted.Customer.ID, "customer.birthday")+b.told(t, stays.Customer.ID, "customer.birthday"))
		})
	}
}

func TestMerge_EmailOfTheGreetingWaits_TheOneWhoStaysGetsOne(t *testing.T) {
	t.Parallel()
	for name, both := range map[string]bool{"only the other one was greeted": false, "both were greeted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true}, `+sender+`}`)
			service, born := b.newService(t, nil), born(0)
			greeted := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
			due := b.only(t, event.KindBirthday).DueAt
			stays := b.book(t, service, inDays(11), bornOn(born, "grace@example.com", ""))
			b.run(t) // the emails that confirm the bookings
			if !both {
				b.exec(t, "UPDATE scheduled_events SET status = 'cancelled' WHERE kind = $1 AND subject_id = $2", event.KindBirthday, stays.Customer.ID)
			}
			b.runAt(t, event.KindBirthday, due)
			b.outbox.fail = errors.New("451 try again later")
			b.runAt(t, event.KindEmail, due)
			b.outbox.fail = nil
			_, err := b.customers.Merge(t.Context(), b.tenant, request(t), greeted.Customer.ID, stays.Customer.ID, "")
			require.NoError(t, err)
			b.runAt(t, event.KindEmail, due)
			require.Len(t, b.outbox.subjects(), 3)
			require.Equal(t, "Happy birthday, Ada!", b.outbox.last(t).Subject)
			require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
		})
	}
}

func TestMerge_GreetingWasCancelledOnRequest_TheOneWhoStaysIsGreetedInTheNextYear(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"with a birthday of its own": true, "without a birthday": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true}}`)
			service, born := b.newService(t, nil), born(0)
			gone := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
			first := b.only(t, event.KindBirthday)
			b.cancelEvent(t, first.EventID)
			stays := b.book(t, service, inDays(11), func(n *booking.New) {
				if n.Customer.Email = "grace@example.com"; known {
					n.Customer.Birthday = &born
				}
			})
			_, err := b.customers.Merge(t.Context(), b.tenant, request(t), gone.Customer.ID, stays.Customer.ID, "")
			require.NoError(t, err)
			b.run(t)
			b.secondCustomerRun(t)
			year, err := strconv.Atoi(first.Occurrence)
			require.NoError(t, err)
			found := map[string]string{}
			for _, e := range b.events(t, event.KindBirthday) {
				if e.SubjectID == stays.Customer.ID {
					found[e.Occurrence] = e.Status + e.Reason
				} else if e.EventID != first.EventID {
					require.Equal(t, "The customer was merged into another one.", e.Reason)
				}
			}
			require.Equal(t, map[string]string{first.Occurrence: "cancelled", strconv.Itoa(year + 1): "pending"}, found)
		})
	}
}

func TestMerge_WhileTheOneWhoStaysIsGreeted_ThePersonIsGreetedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service, born := b.newService(t, nil), born(0)
	greeted := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
	due := b.only(t, event.KindBirthday).DueAt
	b.runAt(t, event.KindBirthday, due)
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE status = 'pending'", due.AddDate(1, 0, 0))
	stays := b.book(t, service, inDays(11), bornOn(born, "grace@example.com", ""))
	b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE subject_id = $1", stays.Customer.ID)
	birthday := b.bookings.Birthday()
	handle := birthday.Handle
	birthday.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
		e.ClaimedAt = due
		result, err := handle(ctx, e)
		_, mergeErr := b.customers.Merge(ctx, b.tenant, request(t), greeted.Customer.ID, stays.Customer.ID, "")
		return result, errors.Join(err, mergeErr)
	}
	event.NewWorker(b.store, event.Config{}, birthday).RunUntilIdle(t.Context())
	require.Equal(t, 1, b.told(t, greeted.Customer.ID, "customer.birthday"))
	require.Zero(t, b.told(t, stays.Customer.ID, "customer.birthday"))
}

func TestUnsubscribe_LinkOfACustomerWhoWasMerged_EndsTheGreetingsOfTheOneWhoStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	gone := b.book(t, service, inDays(10))
	stays := b.book(t, service, inDays(11), bornOn(born(0), "ada@example.com", ""))
	_, err := b.customers.Merge(t.Context(), b.tenant, request(t), gone.Customer.ID, stays.Customer.ID, "")
	require.NoError(t, err)
	require.Equal(t, "pending", b.only(t, event.KindBirthday).Status)
	unsubscribe(t, b, gone)
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status)
	data, err := b.bookings.CustomerMessageData(t.Context(), b.tenant.ID, stays.Customer.ID, "")
	require.NoError(t, err)
	require.NotNil(t, data.UnsubscribedAt)
}

func TestUnsubscribe_PlannedBirthday_Ends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	unsubscribe(t, b, made)
	unsubscribe(t, b, made)
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status)
}

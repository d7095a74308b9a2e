package message_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// greetingKinds are the kinds of events that happen every year.
var greetingKinds = []string{event.KindBirthday, event.KindAnniversary}

// requireNextYears requires that years were cancelled on request, and that the year after them is planned, a year after the first one.
func (b *testBundle) requireNextYears(t testing.TB, first planned, years int) planned {
	t.Helper()
	year, err := strconv.Atoi(first.Occurrence)
	require.NoError(t, err)
	events := b.events(t, first.Kind)
	require.Len(t, events, years+1)
	for i, e := range events[:years] {
		require.Equal(t, "cancelled", e.Status)
		require.Empty(t, e.Reason)
		require.Equal(t, strconv.Itoa(year+i), e.Occurrence)
	}
	next := events[years]
	require.Equal(t, "pending", next.Status)
	require.Equal(t, strconv.Itoa(year+years), next.Occurrence)
	require.Equal(t, first.DueAt.In(b.tenant.Location).AddDate(years, 0, 0).UTC(), next.DueAt.UTC())
	return next
}

func TestGreeting_CancelledOnRequest_IsPlannedForTheNextYear(t *testing.T) {
	t.Parallel()
	for _, kind := range greetingKinds {
		for name, cancel := range map[string]func(t testing.TB, b *testBundle, id uuid.UUID){
			"by the tenant": func(t testing.TB, b *testBundle, id uuid.UUID) {
				t.Helper()
				b.cancelEvent(t, id)
			},
			"by the operator": func(t testing.TB, b *testBundle, id uuid.UUID) {
				t.Helper()
				o := event.NewOperator(b.store)
				selected, err := o.Select(t.Context(), event.Cancel, event.AcrossFilter{IDs: []uuid.UUID{id}})
				require.NoError(t, err)
				_, err = o.Apply(t.Context(), selected)
				require.NoError(t, err)
			},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
				b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
				first := b.only(t, kind)
				b.exec(t, "UPDATE scheduled_events SET last_error = 'an earlier error' WHERE event_id = $1", first.EventID)
				cancel(t, b, first.EventID)
				b.run(t)
				next := b.requireNextYears(t, first, 1)
				cancel(t, b, next.EventID)
				b.run(t)
				b.requireNextYears(t, first, 2)
			})
		}
	}
}

func TestGreeting_CancelledOnRequest_StaysCancelledWhateverChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t testing.TB, b *testBundle, id uuid.UUID){
		"settings": func(t testing.TB, b *testBundle, _ uuid.UUID) {
			t.Helper()
			b.set(t, `{"greetings": {"birthday": false, "anniversary": false}}`)
			b.run(t)
			b.secondRun(t)
			b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
		},
		"time zone": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.moveTo(t, id, "Europe/Paris") // as in Berlin
		},
		"birthday": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.changeBirthday(t, id, "")
			b.changeBirthday(t, id, "1991"+born(0).String()[4:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
			made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
			b.run(t)
			first := map[string]planned{}
			for _, kind := range greetingKinds {
				first[kind] = b.only(t, kind)
				b.cancelEvent(t, first[kind].EventID)
				b.run(t)
				b.cancelEvent(t, b.requireNextYears(t, first[kind], 1).EventID)
				b.run(t)
			}
			change(t, b, made.Customer.ID)
			b.makeDue(t, event.KindReplan)
			b.makeDue(t, event.KindCustomerReplan)
			b.run(t)
			for _, kind := range greetingKinds {
				b.requireNextYears(t, first[kind], 2)
			}
		})
	}
}

func TestBirthday_NextYearsGreetingCancelledOnRequest_StaysCancelledAfterThisYears(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	b.copyToNextYear(t, first.EventID)
	b.cancelEvent(t, b.events(t, event.KindBirthday)[1].EventID)
	b.runAt(t, event.KindBirthday, first.DueAt)
	b.exec(t, "UPDATE scheduled_events SET due_at = $1 WHERE event_id = $2", first.DueAt, first.EventID)
	require.Equal(t, []string{"completed", "cancelled", "pending"}, statuses(b.events(t, event.KindBirthday)))
}

func TestMessage_ReplayedWhileTheSettingsAreOff_ComesBackWithThem(t *testing.T) {
	t.Parallel()
	for kind, off := range map[string]string{
		event.KindBookingReminder: `{"reminders": []}`,
		event.KindBalanceDue:      `{"balance_due": {}}`,
		event.KindBookingFollowUp: `{"follow_up_minutes": 0}`,
		event.KindAnniversary:     `{"greetings": {"anniversary": false}}`,
		event.KindBirthday:        `{"greetings": {"birthday": false}}`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			on := `{"reminders": [{"before_minutes": 120}], "balance_due": {"before_minutes": 60}, "follow_up_minutes": 60,
				"greetings": {"birthday": true, "anniversary": true}}`
			b.set(t, on)
			b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
			b.run(t)
			b.secondRun(t)
			first := b.only(t, kind)
			b.set(t, off)
			b.run(t)
			b.secondRun(t)
			require.Equal(t, "cancelled", b.only(t, kind).Status)
			b.replay(t, first.EventID)
			b.run(t)
			require.Equal(t, "cancelled", b.only(t, kind).Status)
			b.set(t, on)
			b.run(t)
			b.secondRun(t)
			require.Equal(t, first, b.only(t, kind))
		})
	}
}

// tenAndSeven returns two time zones: in the first one it is between 10:00 and 11:00, in the second one three hours less, on the same date.
func tenAndSeven(t testing.TB) (ten, seven *time.Location) {
	t.Helper()
	offset := 10 - testtime.Now().UTC().Hour()
	if offset < -9 {
		offset += 24
	}
	// POSIX turns the sign around: Etc/GMT-2 is two hours ahead of UTC.
	return zone(t, fmt.Sprintf("Etc/GMT%+d", -offset)), zone(t, fmt.Sprintf("Etc/GMT%+d", 3-offset))
}

func TestBirthday_OfTodayAfterNine_IsGreetedAtOnce(t *testing.T) {
	t.Parallel()
	loc, later := tenAndSeven(t)
	today := testtime.Now().In(loc)
	born := date(1988, today.Month(), today.Day())
	name := loc.String()
	for way, do := range map[string]func(t testing.TB, b *testBundle, service uuid.UUID) uuid.UUID{
		"first booking": func(t testing.TB, b *testBundle, service uuid.UUID) uuid.UUID {
			t.Helper()
			return b.book(t, service, inDays(10), bornOn(born, "ada@example.com", name)).Customer.ID
		},
		"time zone changes": func(t testing.TB, b *testBundle, service uuid.UUID) uuid.UUID {
			t.Helper()
			made := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", later.String()))
			b.run(t)
			require.Zero(t, b.told(t, made.Customer.ID, "customer.birthday"))
			b.moveTo(t, made.Customer.ID, name)
			return made.Customer.ID
		},
		"birthday is corrected": func(t testing.TB, b *testBundle, service uuid.UUID) uuid.UUID {
			t.Helper()
			made := b.book(t, service, inDays(10), bornOn(born.AddDays(40), "ada@example.com", name))
			b.changeBirthday(t, made.Customer.ID, born.String())
			return made.Customer.ID
		},
		"settings ask for it": func(t testing.TB, b *testBundle, service uuid.UUID) uuid.UUID {
			t.Helper()
			b.set(t, `{"greetings": {"birthday": false}}`)
			made := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", name))
			b.set(t, `{"greetings": {"birthday": true}}`)
			return made.Customer.ID
		},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true}}`)
			began := testtime.Now().Add(-time.Minute)
			id := do(t, b, b.newService(t, nil))
			b.run(t)
			require.Equal(t, 1, b.told(t, id, "customer.birthday"))
			for _, e := range b.events(t, event.KindBirthday) {
				require.True(t, e.DueAt.After(began), "workers find at once only what is due about now")
			}
			b.moveTo(t, id, later.String())
			b.moveTo(t, id, name)
			b.makeDue(t, event.KindCustomerReplan)
			b.run(t)
			require.Equal(t, 1, b.told(t, id, "customer.birthday"), "nobody is greeted twice in a year")
			var pending []string
			for _, e := range b.events(t, event.KindBirthday) {
				if e.Status == "pending" {
					pending = append(pending, e.Occurrence)
				}
			}
			require.Equal(t, []string{strconv.Itoa(today.Year() + 1)}, pending)
		})
	}
}

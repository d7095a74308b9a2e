package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

func bornOn(d civil.Date, email, timeZone string) func(*booking.CreateRequest) {
	return func(n *booking.CreateRequest) {
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

// updatesCustomer has a booking change what is known of its customer.
func updatesCustomer(n *booking.CreateRequest) { n.UpdateCustomer = true }

// moveTo changes a customer's time zone.
func (b *testBundle) moveTo(t testing.TB, customerID uuid.UUID, timeZone string) {
	t.Helper()
	change := mergepatch.Of[customer.CustomerSpecBody](`{"time_zone": "` + timeZone + `"}`)
	_, err := b.customers.Change(t.Context(), b.tenant, customerID, change, "")
	require.NoError(t, err)
}

// changeBirthday sets a customer's birthday, or removes it with an empty one.
func (b *testBundle) changeBirthday(t testing.TB, customerID uuid.UUID, birthday string) {
	t.Helper()
	document := `{"birthday": null}`
	if birthday != "" {
		document = `{"birthday": "` + birthday + `"}`
	}
	_, err := b.customers.Change(t.Context(), b.tenant, customerID, mergepatch.Of[customer.CustomerSpecBody](document),
		"")
	require.NoError(t, err)
}

func statuses(events []planned) (found []string) {
	for _, e := range events {
		found = append(found, e.Status)
	}
	return found
}

// nextBirthday plans the greeting that follows another one by a year, and returns it.
func (b *testBundle) nextYears(t testing.TB, former planned) planned {
	t.Helper()
	due := former.DueAt.In(b.tenant.Location).AddDate(1, 0, 0)
	b.planUntil(t, due)
	events := b.events(t, former.Kind)
	next := events[len(events)-1]
	require.Equal(t, "pending", next.Status)
	require.Equal(t, due.UTC(), next.DueAt.UTC())
	require.Equal(t, strconv.Itoa(due.Year()), next.Occurrence)
	return next
}

func TestBirthday_LeapDay_IsGreetedOnceEachYearWhereTheCustomerIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}, `+sender+`}`)
	loc, leapDay := zone(t, "America/New_York"), date(2000, time.February, 29)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(leapDay, "", "America/New_York"))
	greeted := func(year int) time.Time {
		day := 28
		if time.Date(year, 2, 29, 0, 0, 0, 0, loc).Day() == 29 {
			day = 29
		}
		return time.Date(year, 2, day, 9, 0, 0, 0, loc)
	}
	year := testtime.Now().Year() + 1
	b.planUntil(t, greeted(year).AddDate(0, 0, -1))
	before := b.events(t, event.KindBirthday) // that of this year, if it was to come
	for i := range 5 {
		due := greeted(year + i)
		b.planUntil(t, due)
		events := b.events(t, event.KindBirthday)
		require.Len(t, events, len(before)+i+1)
		next := events[len(events)-1]
		require.Equal(t, strconv.Itoa(year+i), next.Occurrence)
		require.Equal(t, due.UTC(), next.DueAt.UTC())
		b.runOneAt(t, next, due)
		b.runAt(t, event.KindEmail, due.Add(time.Hour))
	}
	require.Equal(t, 5, b.told(t, made.Customer.ID, "customer.birthday"))
	require.Equal(t, 5, containing(b.outbox.subjects(), "Happy birthday, Ada!"))
	stored, err := b.customers.Get(t.Context(), b.tenant, made.Customer.ID)
	require.NoError(t, err)
	shown, err := json.Marshal(stored.Body())
	require.NoError(t, err)
	var told string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT min(data::text) FROM changes WHERE type = 'customer.birthday'").Scan(&told))
	require.JSONEq(t, string(shown), told, "the feed shows the customer as the API does")
}

func TestBirthday_DateHasPassed_IsNotGreetedUntilTheNextYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	first := b.only(t, event.KindBirthday)
	b.runOneAt(t, first, first.DueAt.Add(15*time.Hour)) // midnight
	ended := b.only(t, event.KindBirthday)
	require.Equal(t, "cancelled", ended.Status)
	require.Equal(t, "The date has passed.", ended.Reason)
	require.Zero(t, b.told(t, made.Customer.ID, "customer.birthday"))
	b.nextYears(t, first)
}

func TestBirthday_CorrectedAfterAWrongDateHasPassed_IsGreetedThatYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
	first := b.only(t, event.KindBirthday)
	b.runOneAt(t, first, first.DueAt.Add(15*time.Hour))
	b.changeBirthday(t, made.Customer.ID, born(2).String())
	corrected := b.only(t, event.KindBirthday)
	require.Equal(t, "pending", corrected.Status)
	require.Equal(t, first.EventID, corrected.EventID)
	require.Equal(t, first.DueAt.AddDate(0, 0, 2), corrected.DueAt)
}

// What is planned is planned once more if it is due earlier. If it is due later it is found out when it is due.
func TestGreeting_TimeZoneChanges_IsDueAtNineThere(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{event.KindBirthday, event.KindAnniversary} {
		for name, to := range map[string]string{"earlier": "Asia/Tokyo", "later": "America/New_York"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
				made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", "Europe/Berlin"))
				day := born(0)
				if kind == event.KindAnniversary {
					day = testtime.Date(10)
					b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
				}
				before := b.events(t, kind)[0]
				b.moveTo(t, made.Customer.ID, to)
				_, due := event.NextAnnual(day, event.LocalTime{Hour: 9}, zone(t, to), before.DueAt.AddDate(0, 0, -2))
				if moved := b.events(t, kind)[0]; name == "earlier" {
					require.Equal(t, due.UTC(), moved.DueAt.UTC())
				} else {
					require.Equal(t, before, moved)
					b.runOneAt(t, before, before.DueAt)
				}
				waiting := b.events(t, kind)[0]
				require.Equal(t, before.EventID, waiting.EventID)
				require.Equal(t, "pending", waiting.Status)
				require.Equal(t, due.UTC(), waiting.DueAt.UTC())
				b.runOneAt(t, waiting, due)
				require.Equal(t, 1, b.told(t, before.SubjectID, kind))
			})
		}
	}
}

// A customer's time zone also moves the anniversary of a booking on another date than the customer has it: one page
// after the other.
func TestAnniversary_TimeZoneOfACustomerWithManyBookingsChanges_AllAreDueAtNineThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", "Pacific/Honolulu"))
	b.copies(t, made.ID, 250)
	b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
	require.Len(t, b.events(t, event.KindAnniversary), 251)
	b.moveTo(t, made.Customer.ID, "Pacific/Kiritimati")
	_, due := event.NextAnnual(testtime.Date(10), event.LocalTime{Hour: 9}, zone(t, "Pacific/Kiritimati"), made.EndsAt)
	for _, e := range b.events(t, event.KindAnniversary) {
		require.Equal(t, due.UTC(), e.DueAt.UTC())
	}
}

func TestBirthday_CorrectedAfterItsGreeting_IsNotGreetedTwiceInAYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bornOn(born(0), "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	b.runOneAt(t, first, first.DueAt)
	b.book(t, service, inDays(10), bornOn(born(1), "ada@example.com", ""), updatesCustomer)
	b.runAt(t, event.KindBirthday, first.DueAt.AddDate(0, 0, 1))
	require.Equal(t, "completed", b.only(t, event.KindBirthday).Status)
	require.Equal(t, 1, b.told(t, made.Customer.ID, "customer.birthday"))
}

func TestBirthday_RemovedAndSetAgain_IsGreetedEachYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
	next := b.only(t, event.KindBirthday)
	for i := range 3 {
		b.changeBirthday(t, made.Customer.ID, "")
		b.runOneAt(t, next, next.DueAt)
		events := b.events(t, event.KindBirthday)
		require.Equal(t, "cancelled", events[i].Status)
		require.Equal(t, "The customer's birthday isn't known any more.", events[i].Reason)

		b.changeBirthday(t, made.Customer.ID, born(0).String())
		require.Equal(t, next, b.events(t, event.KindBirthday)[i])
		b.runOneAt(t, next, next.DueAt)
		require.Equal(t, i+1, b.told(t, made.Customer.ID, "customer.birthday"))
		next = b.nextYears(t, next)
	}
}

func TestBirthday_SetWhileNoGreetingsAreWanted_IsGreetedOnceTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.set(t, `{"greetings": {"birthday": false}}`)
	b.changeBirthday(t, made.Customer.ID, born(0).String())
	require.Empty(t, b.events(t, event.KindBirthday))
	b.set(t, `{"greetings": {"birthday": true}}`)
	require.Equal(t, "pending", b.only(t, event.KindBirthday).Status)
}

func TestBirthday_OfACustomerWhoHasUnsubscribed_IsNotPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), bornOn(born(0), "ada@example.com", ""))
	unsubscribe(t, b, made)
	other := b.book(t, service, inDays(11), bornOn(born(3), "grace@example.com", ""))
	b.changeBirthday(t, made.Customer.ID, born(1).String())
	b.book(t, service, inDays(12), bornOn(born(2), "ada@example.com", ""))
	planned := b.only(t, event.KindBirthday)
	require.Equal(t, other.Customer.ID, planned.SubjectID)

	_, err := b.persons.Merge(t.Context(), b.tenant, request(t), made.Customer.ID, other.Customer.ID, "")
	require.NoError(t, err)
	b.runOneAt(t, planned, planned.DueAt)
	ended := b.only(t, event.KindBirthday)
	require.Equal(t, "cancelled", ended.Status)
	require.Equal(t, "The customer has unsubscribed.", ended.Reason, "one of the two wants no greetings")
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

func TestAnniversary_Due_TellsTheYearsEachYear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"anniversary": true}, `+sender+`, "follow_up_minutes": 0}`)
	b.set(t, `{"email": {"templates": [
		{"template": "booking.anniversary", "subject": "{{years}} years since {{service_name}}", "text": "{{customer_name}}"}]}}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.planUntil(t, made.StartsAt.AddDate(1, 0, 0))
	next := b.only(t, event.KindAnniversary)
	for i := range 3 {
		require.Equal(t, strconv.Itoa(made.StartsAt.In(b.tenant.Location).Year()+1+i), next.Occurrence)
		b.runOneAt(t, next, next.DueAt)
		b.runAt(t, event.KindEmail, next.DueAt)
		require.Equal(t, i+1, b.told(t, made.ID, "booking.anniversary"))
		require.Equal(t, fmt.Sprintf("%d years since Tour", i+1), b.outbox.last(t).Subject)
		next = b.nextYears(t, next)
	}
	require.Empty(t, b.outbox.last(t).HTML, "the tenant's template has none")
}

func TestMerge_CustomerWasGreetedOrNotToBe_TheOneWhoStaysIsNotGreetedThatYear(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"with a birthday of its own": true, "without a birthday": false} {
		for _, cancelled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cancelled on request %t", name, cancelled), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.set(t, `{"greetings": {"birthday": true}}`)
				service, born, greetings := b.newService(t, nil), born(0), 1
				gone := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
				first := b.only(t, event.KindBirthday)
				if cancelled {
					b.cancelEvent(t, first.EventID)
					greetings = 0
				} else {
					b.runOneAt(t, first, first.DueAt)
				}
				stays := b.book(t, service, inDays(11), func(n *booking.CreateRequest) {
					if n.Customer.Email = "grace@example.com"; known {
						n.Customer.Birthday = &born
					}
				})
				_, err := b.persons.Merge(t.Context(), b.tenant, request(t), gone.Customer.ID, stays.Customer.ID, "")
				require.NoError(t, err)
				b.runAll(t)
				told := func() int {
					return b.told(t, gone.Customer.ID, "customer.birthday") + b.told(t, stays.Customer.ID,
						"customer.birthday")
				}
				require.Equal(t, greetings, told())
				b.planUntil(t, first.DueAt.AddDate(1, 0, 1))
				b.runAll(t)
				require.Equal(t, greetings+1, told(), "in the next year")
				require.Equal(t, 1, b.told(t, stays.Customer.ID, "customer.birthday"))
			})
		}
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
			stays := b.book(t, service, inDays(11), func(n *booking.CreateRequest) {
				if n.Customer.Email = "grace@example.com"; both {
					n.Customer.Birthday = &born
				}
			})
			b.run(t) // the emails that confirm the bookings
			b.runAt(t, event.KindBirthday, due)
			b.outbox.fail = errors.New("451 try again later")
			b.runAt(t, event.KindEmail, due)
			b.outbox.fail = nil
			_, err := b.persons.Merge(t.Context(), b.tenant, request(t), greeted.Customer.ID, stays.Customer.ID, "")
			require.NoError(t, err)
			b.runAt(t, event.KindEmail, due)
			require.Len(t, b.outbox.subjects(), 3)
			require.Equal(t, "Happy birthday, Ada!", b.outbox.last(t).Subject)
			require.Equal(t, "grace@example.com", b.outbox.last(t).To.Email)
		})
	}
}

func TestMerge_WhileTheOneWhoStaysIsGreeted_ThePersonIsGreetedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"greetings": {"birthday": true}}`)
	service, born := b.newService(t, nil), born(0)
	greeted := b.book(t, service, inDays(10), bornOn(born, "ada@example.com", ""))
	first := b.only(t, event.KindBirthday)
	b.runOneAt(t, first, first.DueAt)
	stays := b.book(t, service, inDays(11), bornOn(born, "grace@example.com", ""))
	merged := false
	b.onceAfterRead = func() {
		_, err := b.persons.Merge(t.Context(), b.tenant, request(t), greeted.Customer.ID, stays.Customer.ID, "")
		merged = err == nil
	}
	b.runAt(t, event.KindBirthday, first.DueAt)
	require.True(t, merged)
	b.runAt(t, event.KindBirthday, first.DueAt)
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
	_, err := b.persons.Merge(t.Context(), b.tenant, request(t), gone.Customer.ID, stays.Customer.ID, "")
	require.NoError(t, err)
	planned := b.only(t, event.KindBirthday)
	unsubscribe(t, b, gone)
	unsubscribe(t, b, gone)
	b.runOneAt(t, planned, planned.DueAt)
	require.Equal(t, "cancelled", b.only(t, event.KindBirthday).Status)
	found, err := b.customers.Get(t.Context(), b.tenant, stays.Customer.ID)
	require.NoError(t, err)
	require.NotNil(t, found.UnsubscribedAt)
}

func TestGreeting_CancelledOnRequest_StaysCancelledWhateverChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t testing.TB, b *testBundle, id uuid.UUID){
		"nothing": func(testing.TB, *testBundle, uuid.UUID) {},
		"settings": func(t testing.TB, b *testBundle, _ uuid.UUID) {
			t.Helper()
			b.set(t, `{"greetings": {"birthday": false, "anniversary": false}}`)
			b.plan(t)
			b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
		},
		"time zone": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.moveTo(t, id, "Asia/Tokyo")
			b.plan(t)
			b.moveTo(t, id, "Europe/Berlin")
		},
		"birthday": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.changeBirthday(t, id, "")
			b.changeBirthday(t, id, "1991"+born(0).String()[4:])
		},
	} {
		for _, byOperator := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, by the operator %t", name, byOperator), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
				made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
				for _, kind := range []string{event.KindBirthday, event.KindAnniversary} {
					if kind == event.KindAnniversary {
						b.planUntil(t, made.StartsAt.AddDate(1, 0, 0))
					}
					first := b.events(t, kind)[0]
					if byOperator {
						b.cancelAsOperator(t, first.EventID)
					} else {
						b.cancelEvent(t, first.EventID)
					}
					change(t, b, made.Customer.ID)
					require.Equal(t, "cancelled", b.events(t, kind)[0].Status)
					require.Empty(t, b.events(t, kind)[0].Reason)
					b.nextYears(t, first)
				}
			})
		}
	}
}

func (b *testBundle) cancelAsOperator(t testing.TB, id uuid.UUID) {
	t.Helper()
	o := event.NewOperator(b.store)
	selected, err := o.Select(t.Context(), event.Cancel, event.AcrossFilter{IDs: []uuid.UUID{id}})
	require.NoError(t, err)
	_, err = o.Apply(t.Context(), selected)
	require.NoError(t, err)
}

// tenAndSeven returns two time zones: in the first one it is between 10:00 and 11:00, in the second one three hours
// less, on the same date.
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
			b.planningAt = began
			id := do(t, b, b.newService(t, nil))
			b.run(t)
			require.Equal(t, 1, b.told(t, id, "customer.birthday"))
			for _, e := range b.events(t, event.KindBirthday) {
				require.True(t, e.DueAt.After(began), "workers find at once only what is due about now")
			}
			b.moveTo(t, id, later.String())
			b.moveTo(t, id, name)
			b.run(t)
			require.Equal(t, 1, b.told(t, id, "customer.birthday"), "nobody is greeted twice in a year")
		})
	}
}

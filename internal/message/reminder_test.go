package message_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/testtime"
)

func TestPlan_ConfirmedBooking_PlansWhatTheSettingsAskFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}, {"days_before": 1, "at": "18:00"}, {"before_minutes": 525600}],
		"balance_due": {"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60, "greetings": {"anniversary": true}}`)
	starts := inDays(10)
	made := b.book(t, b.newService(t, nil), starts)
	b.planUntil(t, starts.AddDate(1, 0, 1))
	loc := b.tenant.Location
	local := starts.In(loc)
	at := func(days, hour int) time.Time {
		return time.Date(local.Year(), local.Month(), local.Day()+days, hour, 0, 0, 0, loc)
	}
	due := map[string]time.Time{}
	for _, e := range b.events(t, event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp,
		event.KindAnniversary) {
		require.Equal(t, made.ID, e.SubjectID)
		due[e.Kind+" "+e.Occurrence] = e.DueAt.UTC()
	}
	start, end := starts.UTC().Format(time.RFC3339), starts.Add(time.Hour).UTC().Format(time.RFC3339)
	_, anniversary := event.NextAnnual(date(local.Year(), local.Month(), local.Day()), event.LocalTime{Hour: 9}, loc,
		testtime.Now())
	require.Equal(t, map[string]time.Time{
		"booking.reminder 120m/" + start:                            starts.Add(-2 * time.Hour).UTC(),
		"booking.reminder 1d@18:00/" + start:                        at(-1, 18).UTC(),
		"payment.balance_due 3d@09:00/" + start:                     at(-3, 9).UTC(),
		"booking.follow_up 60m/" + end:                              starts.Add(2 * time.Hour).UTC(),
		"booking.anniversary " + anniversary.In(loc).Format("2006"): anniversary.UTC(),
	}, due, "nothing is planned whose time has passed, such as the reminder a year before")
}

func TestPlan_Hold_PlansNothingUntilItIsConfirmed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	made := b.book(t, b.newService(t, nil), inDays(10), held(30))
	require.Empty(t, b.events(t, event.KindBookingReminder))
	b.change(t, made.ID, booking.Confirm)
	require.Equal(t, made.ID, b.only(t, event.KindBookingReminder).SubjectID)
}

func TestPlan_ServiceWithRemindersOfItsOwn_ReplacesTheTenants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	b.book(t, b.newService(t, []settings.ReminderBody{{BeforeMinutes: 30}}), inDays(10))
	b.book(t, b.newService(t, []settings.ReminderBody{}), inDays(10))
	require.Contains(t, b.only(t, event.KindBookingReminder).Occurrence, "30m/")
}

func TestPlan_NoSettings_PlansNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.book(t, b.newService(t, nil), inDays(10))
	require.Empty(t, b.events(t))
}

func TestReminder_ClocksSkipOrDoubleItsTime_IsPlannedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"days_before": 1, "at": "02:30"}]}`)
	service := b.newService(t, nil)
	year := testtime.Now().Year() + 1
	for month, hour := range map[time.Month]int{
		time.March:   1, // 02:30 doesn't exist: 03:00 in summer time
		time.October: 0, // 02:30 exists twice: the first one, in summer time
	} {
		sunday := lastSunday(year, month)
		made := b.book(t, service, time.Date(year, month, sunday+1, 12, 0, 0, 0, b.tenant.Location))
		b.planUntil(t, made.StartsAt)
		minute := 30
		if month == time.March {
			minute = 0
		}
		found := 0
		for _, e := range b.events(t, event.KindBookingReminder) {
			if e.SubjectID == made.ID {
				found++
				require.Equal(t, time.Date(year, month, sunday, hour, minute, 0, 0, time.UTC), e.DueAt.UTC())
			}
		}
		require.Equal(t, 1, found)
	}
}

func lastSunday(year int, month time.Month) int {
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
	return last.Day() - int(last.Weekday())
}

func TestReminder_Due_IsToldAndSentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	b.run(t)
	require.Equal(t, "completed", b.only(t, event.KindBookingReminder).Status)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, 1, containing(b.outbox.subjects(), "See you soon: Tour"))
	require.Equal(t, 1, containing(b.outbox.subjects(), "confirmed"))
	require.Len(t, b.outbox.subjects(), 2)
}

func TestReminder_NoSender_IsToldWithoutEmail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}]}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
	require.Empty(t, b.events(t, event.KindEmail))
}

func TestReminder_NoLongerMakesSense_IsNotTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		spoil  func(testing.TB, *testBundle, booking.BookingBody)
		late   time.Duration // after the booking's start
		reason string
	}{
		"no-show": {kind: event.KindBookingReminder, reason: "The booking is no_show.",
			spoil: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.exec(t, "UPDATE bookings SET status = 'no_show' WHERE booking_id = $1", made.ID)
			}},
		"moved": {kind: event.KindBookingReminder, reason: "The booking has moved to another time.",
			spoil: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.exec(t, "UPDATE bookings SET starts_at = starts_at + interval '1 minute' WHERE booking_id = $1",
					made.ID)
			}},
		"not wanted": {kind: event.KindBookingReminder, reason: "The settings no longer ask for this reminder.",
			spoil: func(t testing.TB, b *testBundle, _ booking.BookingBody) {
				t.Helper()
				b.set(t, `{"reminders": []}`)
			}},
		"begun": {kind: event.KindBookingReminder, reason: "The booking has begun.", late: time.Nanosecond},
		"paid": {kind: event.KindBalanceDue, reason: "Nothing is due.", spoil: func(t testing.TB, b *testBundle,
			made booking.BookingBody) {
			t.Helper()
			b.exec(t, "UPDATE bookings SET price = 0 WHERE booking_id = $1", made.ID)
		}},
		"balance not wanted": {kind: event.KindBalanceDue, reason: "The settings no longer ask for this reminder.",
			spoil: func(t testing.TB, b *testBundle, _ booking.BookingBody) {
				t.Helper()
				b.set(t, `{"balance_due": null}`)
			}},
		"follow-up not wanted": {
			kind:   event.KindBookingFollowUp,
			reason: "The settings no longer ask for this follow-up, or the booking has moved.",
			spoil: func(t testing.TB, b *testBundle, _ booking.BookingBody) {
				t.Helper()
				b.set(t, `{"follow_up_minutes": 0}`)
			},
		},
		"follow-up too late": {kind: event.KindBookingFollowUp, reason: "It is too late for a follow-up.",
			late: 9 * 24 * time.Hour},
		"follow-up, unsubscribed": {kind: event.KindBookingFollowUp, reason: "The customer has unsubscribed.",
			spoil: unsubscribe},
		"anniversary, unsubscribed": {kind: event.KindAnniversary, reason: "The customer has unsubscribed.",
			spoil: unsubscribe},
		"anniversary not wanted": {
			kind: event.KindAnniversary, reason: "The settings no longer ask for greetings on anniversaries.",
			spoil: func(t testing.TB, b *testBundle, _ booking.BookingBody) {
				t.Helper()
				b.set(t, `{"greetings": {"anniversary": false}}`)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"reminders": [{"before_minutes": 120}], "balance_due": {"before_minutes": 60}, "follow_up_minutes": 60,
				"greetings": {"anniversary": true}, `+sender+`}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
			if c.spoil != nil {
				c.spoil(t, b, made)
			}
			at := made.StartsAt.Add(-time.Hour)
			if c.late > 0 {
				at = made.StartsAt.Add(c.late)
			}
			b.runAt(t, c.kind, at)
			e := b.only(t, c.kind)
			require.Equal(t, "cancelled", e.Status)
			require.Equal(t, c.reason, e.Reason)
			require.Zero(t, b.told(t, made.ID, c.kind))
		})
	}
}

func unsubscribe(t testing.TB, b *testBundle, made booking.BookingBody) {
	t.Helper()
	require.NoError(t, b.customers.Unsubscribe(t.Context(), b.tenant.ID, made.Customer.ID))
}

func (b *testBundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func TestMessages_BookingIsCancelledBeforeTheyAreDue_AreNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], "balance_due": {"before_minutes": 60}, "follow_up_minutes": 60,
		"greetings": {"anniversary": true}, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.planUntil(t, made.StartsAt.AddDate(1, 0, 1))
	b.change(t, made.ID, booking.Cancel)
	b.runAll(t)
	ended := b.events(t, aboutBookings...)
	require.Len(t, ended, len(aboutBookings))
	for _, e := range ended {
		require.Equal(t, "cancelled", e.Status, e.Kind)
		require.Equal(t, "The booking is cancelled.", e.Reason)
	}
	require.Zero(t, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, []string{"Your booking is cancelled: Tour, " +
		made.StartsAt.In(b.tenant.Location).Format("Monday 2 January 2006")},
		b.outbox.subjects(),
		"the email that confirms the booking, not sent yet, ends with the booking")
}

// endings are the changes of a booking that end its reminder. Moved bookings get another one.
var endings = map[string]func(testing.TB, *testBundle, uuid.UUID){
	"cancelled": func(t testing.TB, b *testBundle, id uuid.UUID) {
		t.Helper()
		b.change(t, id, booking.Cancel)
	},
	"moved": func(t testing.TB, b *testBundle, id uuid.UUID) {
		t.Helper()
		b.reschedule(t, id, to(inDays(20)))
	},
}

// requireReminderEnded requires that the first reminder of a booking ended, and was neither told nor sent.
func (b *testBundle) requireReminderEnded(t testing.TB, first planned) {
	t.Helper()
	// its outdated result was put off
	b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE event_id = $1", first.EventID)
	b.run(t)
	require.Zero(t, b.told(t, first.SubjectID, "booking.reminder"))
	require.Zero(t, containing(b.outbox.subjects(), "See you soon"))
	require.Equal(t, "cancelled", b.events(t, event.KindBookingReminder)[0].Status)
	require.Equal(t, first.EventID, b.events(t, event.KindBookingReminder)[0].EventID)
}

func TestReminder_BookingEndsOrMovesAfterTheClaim_IsNotSent(t *testing.T) {
	t.Parallel()
	for name, end := range endings {
		for order, beforeCheck := range map[string]bool{"before the check": true, "between check and record": false} {
			t.Run(name+" "+order, func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
				made := b.book(t, b.newService(t, nil), inDays(10))
				b.makeDue(t, event.KindBookingReminder)
				first := b.only(t, event.KindBookingReminder)
				reminder := b.kind(t, event.KindBookingReminder)
				handle, handled := reminder.Handle, 0
				reminder.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
					handled++
					if beforeCheck {
						end(t, b, made.ID)
						return handle(ctx, e)
					}
					defer end(t, b, made.ID)
					return handle(ctx, e)
				}
				event.NewWorker(b.store, event.Config{}, reminder).RunUntilIdle(t.Context())
				require.Equal(t, 1, handled)
				b.requireReminderEnded(t, first)
			})
		}
	}
}

func TestReminder_BookingEndsOrMovesWhileItsEmailWaits_IsNotSent(t *testing.T) {
	t.Parallel()
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			b.run(t) // the email that confirms the booking
			b.makeDue(t, event.KindBookingReminder)
			event.NewWorker(b.store, event.Config{}, b.kind(t, event.KindBookingReminder)).RunUntilIdle(t.Context())
			require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
			end(t, b, made.ID)
			b.run(t)
			require.Zero(t, containing(b.outbox.subjects(), "See you soon"))
		})
	}
}

func TestFollowUp_BookingIsCompletedWhileItsEmailWaits_IsSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"follow_up_minutes": 60, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	ended := fromNow(-1)
	b.plan(t)
	b.exec(t, "UPDATE bookings SET (starts_at, ends_at, busy_from, busy_until) = ($1, $2, $1, $2)",
		ended.Add(-time.Hour), ended)
	b.exec(t, "UPDATE scheduled_events SET occurrence = $1 WHERE kind = $2", "60m/"+ended.UTC().Format(time.RFC3339),
		event.KindBookingFollowUp)
	b.makeDue(t, event.KindBookingFollowUp)
	event.NewWorker(b.store, event.Config{}, b.kind(t, event.KindBookingFollowUp)).RunUntilIdle(t.Context())
	require.Equal(t, 1, b.told(t, made.ID, "booking.follow_up"))
	b.change(t, made.ID, booking.Complete)
	b.run(t)
	require.Equal(t, 1, containing(b.outbox.subjects(), "Thank you for your visit"))
}

func TestFollowUp_CustomerUnsubscribesWhileItsEmailWaits_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"follow_up_minutes": 60, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.runAt(t, event.KindBookingFollowUp, made.EndsAt.Add(time.Hour))
	require.Equal(t, 1, b.told(t, made.ID, "booking.follow_up"))
	unsubscribe(t, b, made)
	b.runAt(t, event.KindEmail, made.EndsAt.Add(time.Hour))
	require.Zero(t, containing(b.outbox.subjects(), "Thank you for your visit"))
}

func TestReminder_AttemptFailsAfterItsChecks_IsToldOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	reminder := b.kind(t, event.KindBookingReminder)
	handle := reminder.Handle
	reminder.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
		result, err := handle(ctx, e)
		if e.Attempt == 1 {
			return event.Result{}, errors.New("the result is lost")
		}
		return result, err
	}
	worker := event.NewWorker(b.store, event.Config{}, reminder)
	worker.RunUntilIdle(t.Context())
	require.Zero(t, b.told(t, made.ID, "booking.reminder"))
	b.makeDue(t, event.KindBookingReminder)
	worker.RunUntilIdle(t.Context())
	b.run(t)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, 1, containing(b.outbox.subjects(), "See you soon"))
}

func TestFollowUp_ReplayedBeforeItIsDue_Waits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"follow_up_minutes": 60}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	first := b.only(t, event.KindBookingFollowUp)
	b.cancelEvent(t, first.EventID)
	b.replay(t, first.EventID)
	b.run(t)
	require.Zero(t, b.told(t, made.ID, "booking.follow_up"))
	require.Equal(t, first, b.only(t, event.KindBookingFollowUp))
}

func TestFollowUpAndBalance_Due_AreToldAndSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"balance_due": {"before_minutes": 60}, "follow_up_minutes": 60, `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.runAt(t, event.KindBalanceDue, made.StartsAt.Add(-time.Hour))
	b.runAt(t, event.KindEmail, made.StartsAt.Add(-time.Hour))
	b.runAt(t, event.KindBookingFollowUp, made.EndsAt.Add(time.Hour))
	b.runAt(t, event.KindEmail, made.EndsAt.Add(time.Hour))
	require.Equal(t, 1, b.told(t, made.ID, "payment.balance_due"))
	require.Equal(t, 1, b.told(t, made.ID, "booking.follow_up"))
	require.Equal(t, 1, containing(b.outbox.subjects(), "Payment due: 45.00 EUR for Tour"))
	followUp := b.outbox.last(t)
	require.Equal(t, "Thank you for your visit", followUp.Subject)
	require.Contains(t, followUp.Unsubscribe, publicURL+"/unsubscribe?token=")
	require.Contains(t, followUp.Text, followUp.Unsubscribe)
}

package message

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/settings"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
)

// world is a tenant with a few customers and bookings, which change at random moments of some weeks. It keeps planned
// events as the database does: one of each subject, kind and occurrence. Messages are planned and handled by the
// product's own rules, at the moment at which they are due.
type world struct {
	random   *rand.Rand
	loc      *time.Location
	settings settings.Settings
	people   []customerData
	bookings []bookingData
	now      time.Time
	ahead    time.Time // until when the daily run has planned
	events   map[string]*plannedMessage
	model    model
	did      []string
}

type plannedMessage struct {
	db.NewEvent
	status event.Status
}

// model says what is to be sent, without planning anything: of each moment, what is due then by what is true then.
type model struct {
	sent map[string]time.Time
	from time.Time // since when nothing has changed
}

func nameOf(kind string, subject uuid.UUID, occurrence string) string {
	return kind + " " + subject.String() + " " + occurrence
}

var (
	worldZones = []string{"Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Honolulu",
		"Australia/Lord_Howe",
		"Asia/Kathmandu", "America/Nuuk"}
	worldDays = 45
)

func newWorld(t testing.TB, seed uint64, round int) *world {
	t.Helper()
	w := &world{random: rand.New(rand.NewPCG(seed, uint64(round))), events: map[string]*plannedMessage{},
		model: model{sent: map[string]time.Time{}}}
	w.loc = zoneOf(t, worldZones[w.random.IntN(len(worldZones))])
	// Around a change of the clock, the end of a year, 29 February of a leap year, and 28 February of a common one.
	begins := []civil.Date{{Year: 2027, Month: 3, Day: 10}, {Year: 2027, Month: 10, Day: 10},
		{Year: 2027, Month: 12, Day: 15},
		{Year: 2028, Month: 2, Day: 10}, {Year: 2027, Month: 2, Day: 10}}
	w.now = event.At(begins[w.random.IntN(len(begins))], event.LocalTime{Hour: w.random.IntN(24)},
		w.loc).Add(time.Duration(1+w.random.IntN(3599)) * time.Second)
	w.ahead, w.model.from = w.now, w.now
	w.changeSettings()
	for range 2 {
		c := customer.Details{Customer: customer.Customer{ID: uuid.New(), Email: "ada@example.com", Name: "Ada"},
			Version: 1}
		w.people = append(w.people, customerData{Details: c})
		w.changeCustomer(len(w.people) - 1)
	}
	for range 2 {
		w.bookings = append(w.bookings,
			bookingData{Booking: booking.Booking{ID: uuid.New(), Status: booking.Confirmed, Price: 1000,
				Version: 1, Location: w.loc}})
		i := len(w.bookings) - 1
		w.moveBooking(i)
		w.giveBooking(i, w.random.IntN(2))
	}
	return w
}

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := timezone.Load(name)
	require.NoError(t, err)
	return loc
}

// day returns a date near the weeks in which the world changes, in some year before or in theirs.
func (w *world) day(years int) civil.Date {
	d := civil.DateOf(w.now.In(w.loc)).AddDays(w.random.IntN(worldDays+10) - 10)
	if w.random.IntN(3) == 0 {
		d = civil.DateOf(w.now.In(w.loc)).AddDays(w.random.IntN(3) - 1)
	}
	d.Year -= years
	if w.random.IntN(4) == 0 {
		d = civil.Date{Year: d.Year, Month: 2, Day: 28 + w.random.IntN(2)}
	}
	if !d.IsValid() {
		d.Year, d.Month, d.Day = 2024, 2, 29
	}
	return d
}

func (w *world) changeSettings() {
	w.settings = settings.Settings{
		FollowUpMinutes: []int{0, 60, 2880}[w.random.IntN(3)],
		Greetings:       settings.Greetings{Birthday: w.random.IntN(4) > 0, Anniversary: w.random.IntN(4) > 0},
	}
	reminders := []event.Reminder{{BeforeMinutes: 30}, {BeforeMinutes: 3000},
		{DaysBefore: 1, At: &event.LocalTime{Hour: 2, Minute: 30}},
		{At: &event.LocalTime{Hour: 18}}}
	for _, r := range reminders {
		if w.random.IntN(2) == 0 {
			w.settings.Reminders = append(w.settings.Reminders, r)
		}
	}
	if w.random.IntN(2) == 0 {
		w.settings.BalanceDue = &event.Reminder{DaysBefore: 2, At: &event.LocalTime{Hour: 9}}
	}
}

func (w *world) changeCustomer(i int) {
	c := &w.people[i]
	if c.Birthday = nil; w.random.IntN(4) > 0 {
		d := w.day(20 + w.random.IntN(9))
		c.Birthday = &d
	}
	if c.TimeZone = nil; w.random.IntN(2) == 0 {
		c.TimeZone = &worldZones[w.random.IntN(len(worldZones))]
	}
	c.Version++
}

func (w *world) moveBooking(i int) {
	b := &w.bookings[i]
	b.Date = w.day([]int{0, 0, 1, 2, 5}[w.random.IntN(5)])
	b.StartsAt = event.At(b.Date, event.LocalTime{Hour: w.random.IntN(24)}, w.loc)
	b.EndsAt = b.StartsAt.Add(time.Duration(1+w.random.IntN(72)) * time.Hour)
}

func (w *world) giveBooking(i, person int) { w.bookings[i].Customer.ID = w.people[person].ID }

// current returns the booking with what is true of it now.
func (w *world) current(i int) bookingData {
	d := w.bookings[i]
	d.settings = w.settings
	for _, p := range w.people {
		if p.ID == d.Customer.ID {
			d.Known, d.unsubscribed = p.Customer, p.UnsubscribedAt != nil
			d.Customer = p.Customer
		}
	}
	d.Due = d.Price - d.Paid
	return d
}

func (w *world) person(i int) customerData {
	d := w.people[i]
	d.settings, d.tenantZone = w.settings, w.loc
	d.location, _ = d.Location(w.loc)
	return d
}

// plan keeps an event as EventFinishPlan does.
func (w *world) plan(next []db.NewEvent) {
	for _, e := range next {
		name := nameOf(e.Kind, e.SubjectID, e.Occurrence)
		known := w.events[name]
		switch {
		case known == nil:
			w.events[name] = &plannedMessage{e, event.Pending}
		case known.status == event.Cancelled, known.status == event.Pending && known.DueAt.After(e.DueAt):
			known.status, known.DueAt = event.Pending, e.DueAt
		}
	}
}

// planAll plans what is due in a window, as a change of a subject or the daily run does.
func (w *world) planAll(t testing.TB, bookings, people []int, in window) {
	t.Helper()
	for _, i := range bookings {
		d := w.current(i)
		next, err := messagesOf(d.Booking, d.settings, in)
		require.NoError(t, err)
		w.plan(next)
	}
	for _, i := range people {
		if p := w.person(i); p.settings.Greetings.Birthday && p.ErasedAt == nil && p.UnsubscribedAt == nil {
			w.plan(birthdaysOf(p.Customer, p.location, in))
		}
	}
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// runUntil plans each day, and handles what is due, until a time.
func (w *world) runUntil(t testing.TB, until time.Time) {
	t.Helper()
	for {
		var next *plannedMessage
		for _, e := range w.events {
			if e.status == event.Pending && (next == nil || e.DueAt.Before(next.DueAt)) {
				next = e
			}
		}
		run := w.ahead.Add(planAheadEvery - horizon) // when the daily run is due
		switch {
		case next != nil && !next.DueAt.After(run) && !next.DueAt.After(until):
			w.handle(t, next)
		case !run.After(until):
			at := window{w.ahead, run.Add(horizon)}
			w.planAll(t, indexes(len(w.bookings)), indexes(len(w.people)), at)
			w.ahead = at.until
		default:
			w.now = until
			return
		}
	}
}

// handle does with an event what its kind does, when it is due.
func (w *world) handle(t testing.TB, p *plannedMessage) {
	t.Helper()
	e := event.Event{Kind: p.Kind, Subject: event.Subject{Type: p.SubjectType, ID: p.SubjectID},
		Occurrence: p.Occurrence,
		LeasedAt:   p.DueAt}
	reason, of, loc := "", civil.Date{}, w.loc
	if p.Kind == event.KindBirthday {
		i := slices.IndexFunc(w.people, func(c customerData) bool { return c.ID == p.SubjectID })
		d := w.person(i)
		d.greeted = w.greeted(d.ID, p.Occurrence)
		for _, check := range birthdayChecks {
			if reason == "" {
				reason = check(e, d)
			}
		}
		if d.Birthday != nil {
			of, loc = *d.Birthday, d.location
		}
	} else {
		d := w.current(slices.IndexFunc(w.bookings, func(b bookingData) bool { return b.ID == p.SubjectID }))
		for _, check := range append([]event.Check[bookingData]{isNotErased}, bookingChecks[p.Kind]...) {
			if reason == "" {
				reason = check(e, d)
			}
		}
		var err error
		of = d.Date
		loc, err = d.Known.Location(d.Location)
		require.NoError(t, err)
	}
	if reason == "" && (p.Kind == event.KindBirthday || p.Kind == event.KindAnniversary) {
		wait, past, err := timeOf(e, of, loc)
		require.NoError(t, err)
		if !wait.IsZero() {
			p.DueAt = wait
			return
		}
		if past {
			reason = dateIsPast
		}
	}
	if p.status = event.Completed; reason != "" {
		p.status = event.Cancelled
	}
}

// greeted lists who of a customer and those who were merged into it was greeted, as PlanningListGreeted does.
func (w *world) greeted(id uuid.UUID, occurrence string) (list []uuid.UUID) {
	for _, p := range w.people {
		e := w.events[nameOf(event.KindBirthday, p.ID, occurrence)]
		if e != nil && e.status == event.Completed && (p.ID == id || p.MergedInto != nil && *p.MergedInto == id) {
			list = append(list, p.ID)
		}
	}
	slices.SortFunc(list, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return list
}

// advance tells the model that nothing has changed until now.
func (w *world) advance() {
	from, until := w.model.from, w.now
	w.model.from = until
	for i := range w.bookings {
		d := w.current(i)
		if d.Customer.IsErased() || d.Status != booking.Confirmed && d.Status != booking.Completed {
			continue
		}
		remind := func(kind string, r event.Reminder) {
			due := d.StartsAt.Add(-time.Duration(r.BeforeMinutes) * time.Minute)
			if r.At != nil {
				due = event.At(d.Date.AddDays(-r.DaysBefore), *r.At, w.loc)
			}
			if d.Status == booking.Confirmed && due.After(from) && !due.After(until) && due.Before(d.StartsAt) &&
				(kind != event.KindBalanceDue || d.Due > 0) {
				w.model.sent[nameOf(kind, d.ID, r.Key()+"/"+d.StartsAt.UTC().Format(time.RFC3339))] = due.UTC()
			}
		}
		for _, r := range w.settings.Reminders {
			remind(event.KindBookingReminder, r)
		}
		if w.settings.BalanceDue != nil {
			remind(event.KindBalanceDue, *w.settings.BalanceDue)
		}
		if minutes := w.settings.FollowUpMinutes; minutes > 0 && !d.unsubscribed {
			if due := d.EndsAt.Add(time.Duration(minutes) * time.Minute); due.After(from) && !due.After(until) {
				w.model.sent[nameOf(event.KindBookingFollowUp, d.ID, fmt.Sprintf("%dm/%s", minutes,
					d.EndsAt.UTC().Format(time.RFC3339)))] = due.UTC()
			}
		}
		if w.settings.Greetings.Anniversary && !d.unsubscribed {
			loc, _ := d.Known.Location(w.loc)
			w.greet(event.KindAnniversary, d.ID, d.Date, loc, from, until)
		}
	}
	for i := range w.people {
		p := w.person(i)
		if w.settings.Greetings.Birthday && p.ErasedAt == nil && p.UnsubscribedAt == nil && p.Birthday != nil {
			w.greet(event.KindBirthday, p.ID, *p.Birthday, p.location, from, until)
		}
	}
}

// greet tells the model of the greetings of a date: at nine o'clock on each yearly return, or at once if it becomes
// known later on that day; once a year.
func (w *world) greet(kind string, id uuid.UUID, of civil.Date, loc *time.Location, from, until time.Time) {
	for day := civil.DateOf(from.In(loc)); !day.After(civil.DateOf(until.In(loc))); day = day.AddDays(1) {
		on := civil.Date{Year: day.Year, Month: of.Month, Day: of.Day}
		if !on.IsValid() {
			on.Day = 28
		}
		if on != day || day.Year <= of.Year {
			continue
		}
		due := event.At(day, event.LocalTime{Hour: 9}, loc)
		if due.After(until) {
			continue
		}
		year := strconv.Itoa(day.Year)
		_, had := w.model.sent[nameOf(kind, id, year)]
		for _, p := range w.people {
			_, other := w.model.sent[nameOf(kind, p.ID, year)]
			had = had || other && p.MergedInto != nil && *p.MergedInto == id
		}
		if had {
			continue
		}
		if due.Before(from) {
			due = from
		}
		w.model.sent[nameOf(kind, id, year)] = due.UTC()
	}
}

// change changes something at a moment, and plans what follows from it.
func (w *world) change(t testing.TB) {
	t.Helper()
	w.advance()
	i, j := w.random.IntN(len(w.bookings)), w.random.IntN(len(w.people))
	soon := window{w.now, w.now.Add(horizonAfterChange)}
	b := &w.bookings[i]
	changedBookings, changedPeople := []int{i}, []int(nil)
	switch what := w.random.IntN(10); what {
	case 0, 1:
		w.did = append(w.did, "settings")
		w.changeSettings()
		w.ahead = w.now
		changedBookings = nil
		at := window{w.now, w.now.Add(horizon)}
		w.planAll(t, indexes(len(w.bookings)), indexes(len(w.people)), at)
		w.ahead = at.until
	case 2, 3:
		w.did = append(w.did, "move")
		w.moveBooking(i)
	case 4:
		w.did = append(w.did, "status")
		b.Status = []booking.Status{booking.Confirmed, booking.Cancelled, booking.Completed,
			booking.NoShow}[w.random.IntN(4)]
	case 5:
		w.did = append(w.did, "another customer")
		if w.people[j].ErasedAt == nil {
			w.giveBooking(i, j)
		}
	case 6:
		w.did = append(w.did, "pay")
		b.Paid = []int64{0, 1000}[w.random.IntN(2)]
	case 7:
		w.did = append(w.did, "customer")
		if w.people[j].ErasedAt == nil {
			w.changeCustomer(j)
		}
		changedBookings, changedPeople = w.bookingsOf(w.people[j].ID), []int{j}
	case 8:
		w.did = append(w.did, "merge or erase")
		changedPeople = w.mergeOrErase(j)
		changedBookings = indexes(len(w.bookings))
	default:
		w.did = append(w.did, "unsubscribe")
		if w.random.IntN(3) == 0 {
			w.people[j].UnsubscribedAt = &w.now
		}
	}
	w.planAll(t, changedBookings, changedPeople, soon)
}

func (w *world) bookingsOf(id uuid.UUID) (list []int) {
	for i, b := range w.bookings {
		if b.Customer.ID == id {
			list = append(list, i)
		}
	}
	return list
}

// mergeOrErase merges a customer into the other one, or erases it.
func (w *world) mergeOrErase(j int) []int {
	gone, stays := &w.people[j], &w.people[1-j]
	if gone.ErasedAt != nil || stays.ErasedAt != nil {
		return nil
	}
	if w.random.IntN(2) == 0 {
		gone.MergedInto = &stays.ID
		if stays.Birthday == nil {
			stays.Birthday = gone.Birthday
		}
		if stays.TimeZone == nil {
			stays.TimeZone = gone.TimeZone
		}
		if stays.UnsubscribedAt == nil {
			stays.UnsubscribedAt = gone.UnsubscribedAt
		}
		for _, i := range w.bookingsOf(gone.ID) {
			w.giveBooking(i, 1-j)
		}
	}
	at := w.now
	gone.ErasedAt = &at
	gone.Customer = customer.Customer{ID: gone.ID, Email: customer.ErasedEmail(gone.ID), Name: customer.Erased}
	return []int{0, 1}
}

func TestMessages_RandomChanges_WhatIsSentIsWhatAPlainModelSays(t *testing.T) {
	t.Parallel()
	seed := testtime.Seed(t)
	for round := range testtime.Rounds(400) { // of four subjects each
		w := newWorld(t, seed, round)
		w.planAll(t, indexes(len(w.bookings)), indexes(len(w.people)), window{w.now, w.now.Add(horizonAfterChange)})
		end := w.now.AddDate(0, 0, worldDays)
		for w.now.Before(end) {
			// Minutes and seconds at which nothing is due.
			next := w.now.Add(time.Duration(w.random.IntN(6*24*60)) * time.Minute).Truncate(time.Minute).
				Add(time.Duration(1+w.random.IntN(58)) * time.Second)
			if !next.After(w.now) {
				continue
			}
			w.runUntil(t, next)
			w.change(t)
			w.runUntil(t, w.now) // what is due at once
		}
		w.advance()
		sent := map[string]time.Time{}
		for name, e := range w.events {
			if e.status == event.Completed {
				sent[name] = e.DueAt.UTC()
			}
		}
		require.Equal(t, w.model.sent, sent, "seed %d, round %d, in %s until %s: %v", seed, round, w.loc, w.now, w.did)
	}
}

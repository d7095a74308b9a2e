package message_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
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
)

// crowd is a few people of one tenant, whose bookings and greetings change at random.
type crowd struct {
	*testBundle
	random  *rand.Rand
	service uuid.UUID
	// made are the bookings that were made.
	made []uuid.UUID
	// did lists what was done, for the message of a failed test.
	did []string
}

// person returns one of the people, by email, now and then with a time zone and a birthday.
func (c *crowd) person() *customer.Customer {
	p := &customer.Customer{Name: "Ada", Email: fmt.Sprintf("person-%d@example.com", c.random.IntN(3))}
	if c.random.IntN(2) == 0 {
		p.TimeZone = c.zone()
	}
	if c.random.IntN(2) == 0 {
		p.Birthday = c.birthday()
	}
	return p
}

func (c *crowd) zone() *string {
	zones := []string{"Pacific/Honolulu", "Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu", "Europe/Berlin"}
	return &zones[c.random.IntN(len(zones))]
}

// birthday returns a date whose next return is weeks away, this year or in the next one.
func (c *crowd) birthday() *civil.Date {
	on := civil.DateOf(testtime.Now().AddDate(-30, 0, []int{20, 150, 200, 340}[c.random.IntN(4)]))
	return &on
}

// starts returns when a booking may start: on one of 30 days around the end of a year, so that bookings move to another
// year too.
func (c *crowd) starts() time.Time {
	return time.Date(testtime.Date(0).Year, time.December, 10+c.random.IntN(30), 12, 0, 0, 0, c.tenant.Location)
}

// booking returns one of the bookings that were made.
func (c *crowd) booking() uuid.UUID { return c.made[c.random.IntN(len(c.made))] }

// someone returns one of the customers, also one who is gone.
func (c *crowd) someone(t testing.TB) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, c.sql.QueryRow(t.Context(), `
		SELECT customer_id FROM customers WHERE tenant_id = $1 ORDER BY customer_id OFFSET $2::int % (SELECT count(*) FROM customers
			WHERE tenant_id = $1) LIMIT 1`,
		c.tenant.ID, c.random.IntN(10)).Scan(&id))
	return id
}

// step does one thing. What isn't allowed is refused, and changes nothing.
func (c *crowd) step(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	steps := []struct {
		name string
		do   func() error
	}{
		{"book", func() error {
			made := c.book(t, c.service, c.starts(), func(n *booking.CreateRequest) { n.Customer = c.person() })
			c.made = append(c.made, made.ID)
			return nil
		}},
		{"hold", func() error {
			made := c.book(t, c.service, c.starts(), held(600), func(n *booking.CreateRequest) {
				if n.Customer = nil; c.random.IntN(2) == 0 {
					n.Customer = c.person()
				}
			})
			c.made = append(c.made, made.ID)
			return nil
		}},
		{"confirm", func() error {
			var confirmation booking.AmendRequest
			if c.random.IntN(2) == 0 {
				confirmation.Customer = c.person()
			}
			_, err := c.bookings.Confirm(ctx, c.tenant, request(t), c.booking(), confirmation, "")
			return err
		}},
		{"update", func() error {
			_, err := c.bookings.Amend(ctx, c.tenant, c.booking(),
				booking.AmendRequest{CustomerChoice: booking.CustomerChoice{Customer: c.person()}}, "")
			return err
		}},
		{"reschedule", func() error {
			_, err := c.bookings.Reschedule(ctx, c.tenant, request(t), c.booking(),
				booking.RescheduleRequest{Move: to(c.starts())}, "")
			return err
		}},
		{"cancel", func() error {
			_, err := c.bookings.Transition(ctx, c.tenant, request(t), c.booking(), booking.Cancel, "")
			return err
		}},
		{"time zone", func() error {
			customerID := c.someone(t)
			change := mergepatch.Of[customer.CustomerSpecBody](`{"time_zone": "` + *c.zone() + `"}`)
			_, err := c.customers.Change(ctx, c.tenant, customerID, change, "")
			return err
		}},
		{"birthday", func() error {
			document := `{"birthday": null}`
			if c.random.IntN(3) > 0 {
				document = `{"birthday": "` + c.birthday().String() + `"}`
			}
			_, err := c.customers.Change(ctx, c.tenant, c.someone(t),
				mergepatch.Of[customer.CustomerSpecBody](document), "")
			return err
		}},
		{"merge", func() error {
			_, err := c.persons.Merge(ctx, c.tenant, request(t), c.someone(t), c.someone(t), "")
			return err
		}},
		{"erase", func() error {
			_, err := c.persons.Erase(ctx, c.tenant, request(t), c.someone(t), "")
			return err
		}},
		{"unsubscribe", func() error {
			if c.random.IntN(3) > 0 {
				return nil
			}
			return c.customers.Unsubscribe(ctx, c.tenant.ID, c.someone(t))
		}},
		{"cancel a greeting", func() error {
			var greetings []planned
			for _, e := range c.stored(t, event.KindBirthday, event.KindAnniversary) {
				if e.Status == "pending" {
					greetings = append(greetings, e)
				}
			}
			if len(greetings) == 0 {
				return nil
			}
			_, err := c.scheduled().Cancel(ctx, c.tenant.ID, request(t),
				greetings[c.random.IntN(len(greetings))].EventID, "")
			return err
		}},
		{"settings", func() error {
			c.set(t, fmt.Sprintf(`{"greetings": {"birthday": %t, "anniversary": %t}}`, c.random.IntN(3) > 0,
				c.random.IntN(3) > 0))
			return nil
		}},
		{"work", func() error {
			c.run(t)
			return nil
		}},
	}
	chosen := steps[c.random.IntN(len(steps))]
	if len(c.made) == 0 {
		chosen = steps[0]
	}
	c.did = append(c.did, chosen.name)
	if err := chosen.do(); err != nil {
		c.did[len(c.did)-1] += " refused: " + err.Error()
	}
}

// wanted lists the greetings that are to be sent until a time. Those that were cancelled on request are left out, also
// of somebody who was merged.
func (c *crowd) wanted(t testing.TB, until time.Time) (want []string) {
	t.Helper()
	var cancelled []string
	require.NoError(t, c.sql.QueryRow(t.Context(), `
		SELECT coalesce(array_agg(e.kind || coalesce(k.merged_into, e.subject_id)::text || e.occurrence), '{}')
		FROM scheduled_events e
		LEFT JOIN customers k ON k.tenant_id = e.tenant_id AND k.customer_id = e.subject_id
		WHERE e.tenant_id = $1 AND e.cancelled_on_request`, c.tenant.ID).Scan(&cancelled))
	add := func(kind string, subject uuid.UUID, of civil.Date, loc *time.Location) {
		on, due := event.NextAnnual(of, event.LocalTime{Hour: 9}, loc, testtime.Now())
		for ; !due.After(until); on, due = event.NextAnnual(of, event.LocalTime{Hour: 9}, loc, due) {
			if year := strconv.Itoa(on.Year); !slices.Contains(cancelled, kind+subject.String()+year) {
				want = append(want, greeting(kind, subject, year, due))
			}
		}
	}
	asked, err := c.settings.Get(t.Context(), c.tenant.ID)
	require.NoError(t, err)
	rows, err := c.sql.Query(t.Context(), `
		SELECT k.customer_id, k.birthday, b.booking_id, b.date, coalesce(k.time_zone, t.time_zone)
		FROM tenants t
		JOIN customers k USING (tenant_id)
		LEFT JOIN bookings b ON b.tenant_id = k.tenant_id AND b.customer_id = k.customer_id AND b.status = 'confirmed'
		WHERE t.tenant_id = $1 AND k.erased_at IS NULL AND k.unsubscribed_at IS NULL`, c.tenant.ID)
	require.NoError(t, err)
	defer rows.Close()
	greeted := map[uuid.UUID]bool{}
	for rows.Next() {
		var id uuid.UUID
		var born, on *civil.Date
		var bookingID *uuid.UUID
		var timeZone string
		require.NoError(t, rows.Scan(&id, &born, &bookingID, &on, &timeZone))
		if born != nil && asked.Settings.Greetings.Birthday && !greeted[id] {
			add(event.KindBirthday, id, *born, zone(t, timeZone))
			greeted[id] = true
		}
		if bookingID != nil && asked.Settings.Greetings.Anniversary {
			add(event.KindAnniversary, *bookingID, *on, zone(t, timeZone))
		}
	}
	require.NoError(t, rows.Err())
	return want
}

// greeting names a greeting: what it is about, the occurrence and the time.
func greeting(kind string, subject uuid.UUID, occurrence string, due time.Time) string {
	return fmt.Sprintf("%s of %s: %s, %s", kind, subject, occurrence, due.UTC())
}

// requireGreetings requires that what is sent in the next two years is what is stored asks for, each greeting once and
// at its time.
func (c *crowd) requireGreetings(t testing.TB, did string) {
	t.Helper()
	until := testtime.Now().AddDate(2, 0, 0)
	c.planUntil(t, until)
	want := c.wanted(t, until)
	for again := true; again; { // one that waits for a later time is handled again
		c.runAll(t)
		again = slices.ContainsFunc(c.stored(t, event.KindBirthday, event.KindAnniversary), func(e planned) bool {
			return e.Status == "pending" && !e.DueAt.After(until)
		})
	}
	sent := []string{}
	for _, e := range c.stored(t, event.KindBirthday, event.KindAnniversary) {
		if e.Status == "completed" {
			sent = append(sent, greeting(e.Kind, e.SubjectID, e.Occurrence, e.DueAt))
			require.Positive(t, c.told(t, e.SubjectID, e.Kind))
		}
	}
	require.ElementsMatch(t, want, sent, did)
}

// newCrowd returns the people of a new tenant.
func newCrowd(t testing.TB, b *testBundle, seed uint64, round int) *crowd {
	t.Helper()
	b.tenant = b.newTenant(t)
	c := &crowd{testBundle: b, random: rand.New(rand.NewPCG(seed, uint64(round)))}
	c.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
	c.service = c.newService(t, nil)
	c.step(t)
	return c
}

func TestGreetings_AfterRandomChanges_AreThoseThatWhatIsStoredAsksFor(t *testing.T) {
	t.Parallel()
	seed := testtime.Seed(t)
	b := setup(t)
	for round := range testtime.Rounds(10) {
		c := newCrowd(t, b, seed, round)
		for range 5 + c.random.IntN(20) {
			c.step(t)
		}
		c.requireGreetings(t, fmt.Sprintf("seed %d, round %d:\n%s", seed, round, strings.Join(c.did, "\n")))
	}
}

func TestGreetings_AfterRandomChangesAtOnce_AreThoseThatWhatIsStoredAsksFor(t *testing.T) {
	t.Parallel()
	seed := testtime.Seed(t)
	b := setup(t)
	for round := range testtime.Rounds(6) {
		c := newCrowd(t, b, seed, round)
		clients := make([]crowd, 4)
		var all sync.WaitGroup
		for i := range clients {
			clients[i] = *c
			clients[i].random = rand.New(rand.NewPCG(seed+uint64(i), uint64(round)))
			clients[i].made = slices.Clone(c.made)
			all.Go(func() {
				for range 10 {
					clients[i].step(t)
				}
			})
		}
		all.Wait()
		c.requireGreetings(t, fmt.Sprintf("seed %d, round %d, of whose clients the first one did:\n%s", seed, round,
			strings.Join(clients[0].did, "\n")))
	}
}

package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// fedEvent is an event as the feed shows it.
type fedEvent struct {
	ID      uuid.UUID `json:"id"`
	Type    string    `json:"type"`
	Subject struct {
		Type string    `json:"type"`
		ID   uuid.UUID `json:"id"`
	} `json:"subject"`
	Sequence   int64           `json:"sequence"`
	OccurredAt time.Time       `json:"occurred_at"`
	Data       json.RawMessage `json:"data"`
}

type fedPage struct {
	Data       []fedEvent `json:"data"`
	NextCursor string     `json:"next_cursor"`
	HasMore    bool       `json:"has_more"`
}

func (c client) events(t testingT, query string) (p fedPage) {
	t.Helper()
	a := c.get(t, "/v1/events?"+query)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	a.read(t, &p)
	require.NotEmpty(t, p.NextCursor)
	return p
}

// allEvents reads the feed until it has n events, without those of resources and services.
func (c client) allEvents(t testingT, n int, filter string) []fedEvent {
	t.Helper()
	return c.eventsBut(t, n, filter, "resource", "service")
}

// eventsBut reads the feed until it has n events, without those of some subjects. Transactions of other tests, in other
// databases of the cluster, hold it up.
func (c client) eventsBut(t testingT, n int, filter string, subjects ...string) (all []fedEvent) {
	t.Helper()
	after := ""
	require.Eventually(t, func() bool {
		p := c.events(t, "limit=200&after="+after+"&"+filter)
		for _, e := range p.Data {
			if !slices.Contains(subjects, e.Subject.Type) {
				all = append(all, e)
			}
		}
		after = p.NextCursor
		return len(all) >= n
	}, soon, time.Millisecond)
	require.Len(t, all, n)
	require.Empty(t, c.events(t, "after="+after+"&"+filter).Data)
	return all
}

// requireInOrder requires that no event comes twice, and that the sequences of each subject are 1, 2, 3 and so on.
func requireInOrder(t testingT, events []fedEvent) {
	t.Helper()
	seen, last := make(map[uuid.UUID]bool), make(map[uuid.UUID]int64)
	for _, e := range events {
		require.False(t, seen[e.ID], "%s %s comes twice", e.Type, e.ID)
		seen[e.ID] = true
		require.Equal(t, last[e.Subject.ID]+1, e.Sequence, "%s of %s %s", e.Type, e.Subject.Type, e.Subject.ID)
		last[e.Subject.ID] = e.Sequence
	}
}

// worker handles what is due of bookings, once.
func (s *apiServer) worker(t testingT) {
	t.Helper()
	bookings := booking.NewService(s.store)
	event.NewWorker(s.store, event.Config{}, bookings.HoldExpiry()).RunUntilIdle(t.Context())
}

func TestEvents_EachChange_HasOneEventThatShowsWhatTheAPIShows(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	type change struct{ eventType, shown, payment string }
	want := make(map[uuid.UUID][]change)
	changed := func(eventType string, id uuid.UUID) answer {
		t.Helper()
		a := c.get(t, "/v1/bookings/"+id.String())
		require.Equal(t, http.StatusOK, a.status, a.body)
		want[id] = append(want[id], change{eventType: eventType, shown: a.body})
		return a
	}
	paid := func(eventType string, booking uuid.UUID, payment string) {
		t.Helper()
		changed(eventType, booking)
		list := want[booking]
		list[len(list)-1].payment = c.get(t, "/v1/payments/"+payment).body
	}
	act := func(id uuid.UUID, action string) {
		t.Helper()
		a := c.post(t, "/v1/bookings/"+id.String()+"/"+action, nil)
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	customer := object{"name": "Ada \"<&>\" Lovelace", "email": "ada@example.com"}

	hold := c.book(t, service, at(future(0), 10, 0),
		object{"hold_minutes": 60, "customer": customer, "metadata": object{"a": []any{1, "<é>"}}}).id(t)
	changed("booking.held", hold)
	act(hold, "confirm")
	changed("booking.confirmed", hold)
	declined := c.payWith(t, hold, "pm_declined", 1000)
	require.Equal(t, http.StatusPaymentRequired, declined.status, declined.body)
	paid("payment.declined", hold, declined.text(t, "payment_id"))
	payment := c.created(t, c.payWith(t, hold, "pm_ok", 1000))
	paid("payment.succeeded", hold, payment.String())
	refund := c.created(t, c.refund(t, payment, object{"amount": 300}))
	want[hold] = append(want[hold], change{eventType: "payment.refund_started"}) // it is complete before it can be read
	paid("payment.refunded", hold, refund.String())
	c.begun(t, hold)
	act(hold, "complete")
	changed("booking.completed", hold)

	customer["phone"], customer["birthday"], customer["time_zone"] = "+49 30", "1990-12-10", "Europe/London"
	missed := c.book(t, service, at(future(0), 12, 0), object{"customer": customer}).id(t)
	customerID := changed("booking.created", missed).field(t, "customer").(object)["id"].(string)
	c.begun(t, missed)
	act(missed, "no-show")
	changed("booking.no_show", missed)

	cancelled := c.book(t, service, at(future(0), 14, 0)).id(t)
	changed("booking.created", cancelled)
	act(cancelled, "cancel")
	changed("booking.cancelled", cancelled)

	expired := c.book(t, service, at(future(0), 16, 0), object{"hold_minutes": 60}).id(t)
	changed("booking.held", expired)
	_, err := c.sql.Exec(t.Context(),
		"UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", expired)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), "UPDATE scheduled_events SET due_at = now() WHERE subject_id = $1", expired)
	require.NoError(t, err)
	c.worker(t)
	changed("booking.expired", expired)

	n := 4 // of customers: three are new, one changes
	for _, list := range want {
		n += len(list)
	}
	all := c.allEvents(t, n, "")
	requireInOrder(t, all)
	got := make(map[uuid.UUID][]fedEvent)
	for _, e := range all {
		got[e.Subject.ID] = append(got[e.Subject.ID], e)
	}
	for id, list := range want {
		require.Len(t, got[id], len(list))
		require.Equal(t, list[len(list)-1].eventType, got[id][len(list)-1].Type)
		for i, w := range list {
			e := got[id][i]
			require.Equal(t, w.eventType, e.Type)
			require.Equal(t, "booking", e.Subject.Type)
			if w.shown == "" {
				continue
			}
			var shown, data object
			require.NoError(t, json.Unmarshal([]byte(w.shown), &shown))
			require.NoError(t, json.Unmarshal(e.Data, &data))
			require.EqualValues(t, shown["version"], e.Sequence)
			if w.payment != "" {
				told, err := json.Marshal(data["payment"])
				require.NoError(t, err)
				require.JSONEq(t, w.payment, string(told), e.Type)
				delete(data, "payment")
			}
			require.Equal(t, shown, data, "%s at version %d", e.Type, e.Sequence)
		}
	}
	ofCustomer := got[uuid.MustParse(customerID)]
	require.Len(t, ofCustomer, 2)
	require.Equal(t, "customer.created", ofCustomer[0].Type)
	require.Equal(t, "customer.updated", ofCustomer[1].Type)
}

func TestEvents_ReaderBesideManyWriters_SeesEachEventOnceAndInOrder(t *testing.T) {
	t.Parallel()
	first := newServer(t)
	owner := first.newTenant(t, "Europe/Berlin")
	other := first.another(t)
	service := owner.newService(t, "slot", object{"price": 4500, "deposit": 1000}, owner.newResource(t, 1000))
	const writers, changes = 32, 6
	ctx, done := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			c := owner
			if w%2 == 1 {
				c.apiServer = other
			}
			for i := range changes {
				// Few customers, changed by many bookings at once.
				made := c.post(t, "/v1/bookings", bookingOf(service, at(future(random.IntN(5)), 10, 0), object{
					"customer": object{"name": fmt.Sprintf("Ada %d %d", w, i),
						"email": fmt.Sprintf("c%d@example.com", random.IntN(4))},
					"hold_minutes": 60,
				}))
				if made.status != http.StatusCreated {
					continue
				}
				path := "/v1/bookings/" + made.id(t).String()
				switch random.IntN(4) {
				case 0:
					c.post(t, path+"/cancel", nil)
				case 1:
					c.pay(t, made.id(t), object{"kind": "deposit", "payment_method": "pm_ok"})
				case 2:
					c.post(t, path+"/confirm", nil)
				}
			}
		})
	}
	go func() {
		writing.Wait()
		done()
	}()
	var read []fedEvent
	after := ""
	for ctx.Err() == nil {
		p := owner.events(t, "limit=7&after="+after)
		read, after = append(read, p.Data...), p.NextCursor
	}
	require.NoError(t, t.Context().Err())
	stored := owner.count(t, "SELECT count(*) FROM changes")
	require.GreaterOrEqual(t, stored, writers*changes)
	require.Eventually(t, func() bool {
		p := owner.events(t, "limit=200&after="+after)
		read, after = append(read, p.Data...), p.NextCursor
		return len(read) >= stored
	}, soon, time.Millisecond)
	require.Len(t, read, stored)
	requireInOrder(t, read)
	require.Equal(t, read, owner.eventsBut(t, stored, ""), "the order is the same from the beginning")
	for _, e := range read {
		if e.Subject.Type == "booking" {
			versions := owner.count(t, `SELECT version + (SELECT count(*) FROM payments p WHERE p.booking_id = b.booking_id
				AND status = 'succeeded')
				FROM bookings b WHERE booking_id = $1`, e.Subject.ID)
			require.Len(t, owner.events(t, "limit=200&subject="+e.Subject.ID.String()).Data, versions,
				"each version has an event")
			break
		}
	}
}

func TestEvents_BookingsThatShareATransaction_HaveOneEventEach(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	const bookings = 12
	keys, err := lock.Dates(c.tenant, lock.Date(future(0)))
	require.NoError(t, err)
	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	var answers sync.WaitGroup
	for range bookings {
		answers.Go(func() { c.post(t, "/v1/bookings", bookingOf(service, at(future(0), 10, 0))) })
	}
	require.Eventually(t, func() bool { return c.metrics(t)["holdfast_group_requests"] == bookings }, soon,
		time.Millisecond)
	require.NoError(t, tx.Rollback(t.Context()))
	answers.Wait()
	all := c.allEvents(t, bookings, "types=booking.*")
	requireInOrder(t, all)
	require.Less(t, c.count(t, "SELECT count(DISTINCT transaction_id) FROM changes"), bookings,
		"some share a transaction")
	require.Len(t, c.allEvents(t, bookings, "types=customer.created"), bookings)
}

func TestEvents_ChangesThatAreRefused_HaveNoEvent(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	id := c.book(t, service, at(future(0), 10, 0)).id(t)
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, at(future(0), 10, 0))
	requireProblem(t, c.post(t, "/v1/bookings/"+id.String()+"/confirm", nil), http.StatusConflict, problem.InvalidState)
	c.allEvents(t, 2, "")
}

func TestEvents_ParametersThatMeanNothing_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, query := range []string{
		"types=booking.moved", "types=%25", "types=booking._o_show", "types=booking.*,", "subject=booking",
		"subject=booking:" +
			uuid.NewString(),
		"after=x", "after=LATEST", "after=" + strings.Repeat("A", 101), "limit=0", "limit=201", "cursor=x", "types=" +
			strings.Repeat("booking.*,", 101),
	} {
		requireProblem(t, c.get(t, "/v1/events?"+query), http.StatusUnprocessableEntity, problem.ValidationFailed)
	}
	requireProblem(t, c.get(t, "/v1/events?after=a&after=b"), http.StatusBadRequest, problem.MalformedRequest)
	requireProblem(t, c.get(t, "/v1/events?after=x", "Accept", "text/event-stream"), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
}

func TestEvents_AfterLatest_IsWhereTheNextEventComes(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.newCustomer(t)
	latest := c.events(t, "after=latest")
	require.Empty(t, latest.Data)
	require.False(t, latest.HasMore)
	require.NotEmpty(t, latest.NextCursor)
}

// newCustomer books, so that two events happen.
func (c client) newCustomer(t testingT) uuid.UUID {
	t.Helper()
	return c.book(t, c.newService(t, "slot", nil, c.newResource(t, 1)), at(future(0), 10, 0)).id(t)
}

package message_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// amendedSide is a booking that is amended in one way. Its twin is amended in another way, and they must end alike.
type amendedSide struct {
	*testBundle

	made  booking.BookingBody
	names []string // of the customers
}

// moving returns what a has moved.
func moving(a *booking.AmendRequest) *booking.Move {
	if a.Move == nil {
		a.Move = new(booking.Move)
	}
	return a.Move
}

// amendments are the parts of an amendment, in the order in which they are judged. Each draws what it asks for, the
// same for both sides.
func amendments(r *rand.Rand) []func(s amendedSide, a *booking.AmendRequest) {
	when := []time.Time{inDays(10), inDays(11), inDays(11), inDays(-4000)}[r.IntN(4)]
	size, minutes, confirms := r.IntN(3)+1, []int{5, 700, 700, 20000}[r.IntN(4)], r.IntN(2) == 0
	return []func(s amendedSide, a *booking.AmendRequest){
		func(_ amendedSide, a *booking.AmendRequest) { moving(a).When = to(when).When },
		func(_ amendedSide, a *booking.AmendRequest) { moving(a).PartySize = &size },
		func(_ amendedSide, a *booking.AmendRequest) { moving(a).Price = booking.PriceQuoted },
		func(_ amendedSide, a *booking.AmendRequest) {
			a.Details = details(`{"metadata": {"table": 7}, "reference": "Wedding"}`)
		},
		func(_ amendedSide, a *booking.AmendRequest) { a.HoldMinutes = &minutes },
		func(s amendedSide, a *booking.AmendRequest) { a.CustomerChoice = choice("Grace", s.names[1]) },
		func(_ amendedSide, a *booking.AmendRequest) { a.Confirm = confirms },
	}
}

// oneByOne makes each part of its own by the route that it has alone, and returns the codes of refusals.
func (s amendedSide) oneByOne(t *testing.T, parts []func(amendedSide, *booking.AmendRequest)) (refused []problem.Code) {
	t.Helper()
	var customer booking.CustomerChoice
	for i, part := range parts {
		var a booking.AmendRequest
		part(s, &a)
		var err error
		switch {
		case a.Move != nil:
			_, err = s.bookings.Reschedule(t.Context(), s.tenant, request(t), s.made.ID,
				booking.RescheduleRequest{Move: *a.Move}, "")
		case a.HoldMinutes != nil:
			_, err = s.bookings.Extend(t.Context(), s.tenant, request(t), s.made.ID,
				booking.ExtendRequest{HoldMinutes: *a.HoldMinutes}, "")
		case a.Confirm:
			_, err = s.bookings.Confirm(t.Context(), s.tenant, request(t), s.made.ID,
				booking.AmendRequest{CustomerChoice: customer}, "")
		case a.Customer != nil && i < len(parts)-1 && confirms(s, parts[i+1]):
			customer = a.CustomerChoice // the customer of a hold that is confirmed comes with the confirmation
		default:
			_, err = s.bookings.Amend(t.Context(), s.tenant, s.made.ID, a, "")
		}
		if err != nil {
			refused = append(refused, problem.CodeOf(err))
		}
	}
	return refused
}

func confirms(s amendedSide, part func(amendedSide, *booking.AmendRequest)) bool {
	var a booking.AmendRequest
	part(s, &a)
	return a.Confirm
}

// told are the types of the booking's changes, each once, and for each the last state that it tells of.
func (s amendedSide) told(t *testing.T) (types []string, states map[string]object) {
	t.Helper()
	rows, err := s.sql.Query(t.Context(), "SELECT type, data FROM changes WHERE subject_id = $1 ORDER BY version",
		s.made.ID)
	require.NoError(t, err)
	defer rows.Close()
	states = map[string]object{}
	for rows.Next() {
		var changeType string
		var data []byte
		require.NoError(t, rows.Scan(&changeType, &data))
		if _, known := states[changeType]; !known {
			types = append(types, changeType)
		}
		states[changeType] = s.comparable(t, data)
	}
	require.NoError(t, rows.Err())
	return types, states
}

type object = map[string]any

// comparable returns a booking without what differs between the sides.
func (s amendedSide) comparable(t *testing.T, data []byte) (body object) {
	t.Helper()
	require.NoError(t, json.Unmarshal(data, &body))
	if expires, ok := body["hold_expires_at"]; ok {
		at, err := time.Parse(time.RFC3339, expires.(string))
		require.NoError(t, err)
		body["extended"] = at.After(*s.made.HoldExpiresAt)
	}
	for _, key := range []string{"id", "service_id", "resource_id", "code", "version", "created_at", "updated_at",
		"hold_expires_at",
		"confirmed_at"} {
		delete(body, key)
	}
	if c, ok := body["customer"].(object); ok {
		delete(c, "id")
		c["email"] = slices.Index(s.names, c["email"].(string))
	}
	return body
}

// follows lists what is planned for the booking, what it occupies, and which emails were sent.
func (s amendedSide) follows(t *testing.T) (all []string) {
	t.Helper()
	s.run(t)
	for _, e := range s.stored(t) {
		switch {
		case e.SubjectID != s.made.ID || e.Status != string(event.Pending):
		case e.Kind == event.KindHoldExpiry:
			b, err := s.bookings.Get(t.Context(), s.tenant, s.made.ID)
			require.NoError(t, err)
			require.True(t, e.DueAt.Equal(*b.HoldExpiresAt))
			all = append(all, e.Kind)
		default:
			all = append(all, fmt.Sprint(e.Kind, e.Occurrence, e.DueAt.UTC()))
		}
	}
	for i, name := range s.names {
		for _, m := range s.outbox.to(name) {
			all = append(all, fmt.Sprint(i, m.To.Name, m.Subject, invited(m)))
		}
	}
	slices.Sort(all)
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], s.made.Code, "CODE")
	}
	var claim string
	require.NoError(t, s.sql.QueryRow(t.Context(), `SELECT (SELECT sum(upper(u) - lower(u)) FROM unnest(units) AS u) || ' units, ' ||
		busy_from || busy_until || (expires_at IS NULL) FROM claims WHERE owner_id = $1`, s.made.ID).Scan(&claim))
	return append(all, claim)
}

func invited(m email.Message) string {
	if m.Invitation == nil {
		return ""
	}
	return fmt.Sprint(m.Invitation.Cancelled, m.Invitation.Starts.UTC())
}

// tables has a hash of each table.
func (b *testBundle) tables(t testing.TB) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	rows, err := b.sql.Query(t.Context(), `SELECT c.relname, query_to_xml(format(
		'SELECT md5(string_agg(t::text, '','' ORDER BY t::text)) AS hash FROM %I t', c.relname), true, false, '')::text
		FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var table, hash string
		require.NoError(t, rows.Scan(&table, &hash))
		hashes[table] = hash
	}
	require.NoError(t, rows.Err())
	return hashes
}

// TestAmend_PartsTogether_EqualThePartsOneAfterTheOther draws parts, of which some are refused. One of two bookings
// that are alike gets them in one request, the other one in a request for each. Only the versions may differ: there are
// as many as events.
func TestAmend_PartsTogether_EqualThePartsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dbtest.CheckClaims(t, b.sql)
	b.set(t, `{"reminders": [{"before_minutes": 120}], "follow_up_minutes": 60, `+sender+`}`)
	services := []uuid.UUID{b.newService(t, nil), b.newService(t, nil)}
	r := rand.New(rand.NewPCG(testtime.Seed(t), 6))
	done, refusals := 0, 0
	for round := range testtime.Rounds(60) {
		for _, service := range services {
			_, err := b.catalog.ChangeService(t.Context(), b.tenant, service,
				mergepatch.Of[catalog.ServiceSpec](`{"price": 4500}`), "")
			require.NoError(t, err)
		}
		state, mailed, sides := r.IntN(4), r.IntN(2) == 0, make([]amendedSide, 2)
		for i := range sides {
			s := amendedSide{b, booking.BookingBody{}, []string{fmt.Sprintf("ada-%d-%d@example.com", round, i),
				fmt.Sprintf("grace-%d-%d@example.com", round, i)}}
			with := []func(*booking.CreateRequest){bookedBy("Ada", s.names[0])}
			if state < 3 {
				with = append(with, held([]int{30, 120, 120}[state]))
			}
			if state == 2 {
				with = append(with, withoutCustomer)
			}
			s.made = b.book(t, services[i], inDays(10), with...)
			sides[i] = s
		}
		if mailed {
			b.run(t)
		}
		for _, service := range services {
			_, err := b.catalog.ChangeService(t.Context(), b.tenant, service,
				mergepatch.Of[catalog.ServiceSpec](`{"price": 9900}`), "")
			require.NoError(t, err)
		}
		parts := amendments(r)
		for len(parts) > 2 && r.IntN(4) > 0 {
			i := r.IntN(len(parts))
			parts = slices.Delete(parts, i, i+1)
		}
		together, apart := sides[0], sides[1]
		var a booking.AmendRequest
		for _, part := range parts {
			part(together, &a)
		}
		before := b.tables(t)
		got, err := b.bookings.Amend(t.Context(), b.tenant, together.made.ID, a, etag.Precondition(`"1"`))
		if err != nil {
			require.Equal(t, before, b.tables(t), "a refusal writes nothing")
			require.Contains(t, apart.oneByOne(t, parts), problem.CodeOf(err), "round %d: %v", round, err)
			refusals++
			continue
		}
		require.Empty(t, apart.oneByOne(t, parts), "round %d", round)
		done++
		types, states := together.told(t)
		typesApart, statesApart := apart.told(t)
		require.Equal(t, typesApart, types, "round %d", round)
		require.Equal(t, statesApart, states, "round %d", round)
		require.EqualValues(t, len(types), got.Version, "a version for each event, and one event of each type")
		read, err := b.bookings.Get(t.Context(), b.tenant, together.made.ID)
		require.NoError(t, err)
		require.Equal(t, read.Body(), got.Body())
		require.Equal(t, apart.follows(t), together.follows(t), "round %d: %s", round, slices.Sorted(maps.Keys(states)))
	}
	require.NotZero(t, done)
	require.NotZero(t, refusals)
}

// TestAmend_HoldThatMovesAndIsConfirmedForAnother_SendsOneConfirmation is the change in which most parts have an email
// of their own.
func TestAmend_HoldThatMovesAndIsConfirmedForAnother_SendsOneConfirmation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"), held(120))
	b.run(t)
	b.outbox.to("ada@example.com")
	m := to(inDays(11))
	got := b.update(t, made.ID, booking.AmendRequest{Move: &m, CustomerChoice: choice("Grace", "grace@example.com"),
		Details: details(`{"metadata": {"a": 1}}`), Confirm: true})
	b.run(t)
	require.Empty(t, b.outbox.to("ada@example.com"), "a hold is in no calendar")
	sent := b.outbox.to("grace@example.com")
	require.Len(t, sent, 1)
	require.Contains(t, sent[0].Subject, "Your booking is confirmed")
	require.True(t, sent[0].Invitation.Starts.Equal(inDays(11)))
	require.Equal(t, got.Version, sent[0].Invitation.Version)
	require.Empty(t, b.outbox.subjects())
	require.Equal(t, []outboxEvent{
		{"booking.held", 1, "Ada", 0}, {"booking.rescheduled", 2, "Ada", 0}, {"booking.updated", 3, "Ada", 0},
		{"booking.confirmed", 4, "Grace", 0},
	}, b.feed(t, made.ID))
}

// TestAmend_BookingThatMovesToAnotherContact_BothAreTold has the calendar entry of the former contact withdrawn.
func TestAmend_BookingThatMovesToAnotherContact_BothAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10), bookedBy("Ada", "ada@example.com"))
	b.run(t)
	b.outbox.to("ada@example.com")
	m := to(inDays(11))
	got := b.update(t, made.ID, booking.AmendRequest{Move: &m, CustomerChoice: booking.CustomerChoice{
		Customer: &customer.Customer{Name: "Grace", Email: "grace@example.com"}}})
	b.run(t)
	withdrawn := b.outbox.to("ada@example.com")
	require.Len(t, withdrawn, 1)
	requireWithdrawn(t, withdrawn[0], made.ID, got.Version)
	sent := b.outbox.to("grace@example.com")
	require.Len(t, sent, 1)
	require.Contains(t, sent[0].Subject, "Your booking is confirmed")
	require.True(t, sent[0].Invitation.Starts.Equal(inDays(11)))
}

// details is a change of a booking's details.
func details(patch string) mergepatch.Patch[booking.Details] {
	return mergepatch.Of[booking.Details](patch)
}

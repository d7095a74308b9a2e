package httpapi_test

import (
	"maps"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func (c client) merge(t testingT, id, into uuid.UUID, header ...string) answer {
	t.Helper()
	return c.post(t, customerPath(id)+"/merge", object{"into": into.String()}, header...)
}

// What a merge decides is tried in internal/person.
func TestMerge_Answers_HaveTheTagOfTheOtherCustomer_WhoGetsTheGreetings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": true, "anniversary": true}}).ok(t)
	service := c.newService(t, "date", object{"price": 4500}, c.newResource(t, 9))
	made, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"})
	moved, twin := c.bookFor(t, service, 4,
		object{"name": "A. Lovelace", "email": "twin@example.com", "time_zone": "Asia/Kathmandu",
			"birthday": "1990-12-10"})
	requireProblem(t, c.merge(t, twin, ada, "If-Match", `"7"`), http.StatusPreconditionFailed, problem.VersionMismatch)
	a := c.merge(t, twin, ada, "If-Match", `"1"`, "Idempotency-Key", "merge").ok(t)
	require.Equal(t, `"2"`, a.header.Get("ETag"))
	require.Equal(t, a.body, c.get(t, customerPath(ada)).body)
	require.Equal(t, a.body, c.merge(t, twin, ada, "If-Match", `"1"`, "Idempotency-Key", "merge").body,
		"a repeated request")
	gone := c.get(t, customerPath(twin))
	require.Equal(t, ada.String(), gone.text(t, "merged_into"))
	require.NotContains(t, gone.body, "Lovelace")
	require.NotContains(t, gone.body, "erased_at")
	requireProblem(t, c.merge(t, twin, ada), http.StatusConflict, problem.InvalidState)

	for subject, want := range map[uuid.UUID]string{ada: "customer.birthday", made: "booking.anniversary",
		moved: "booking.anniversary"} {
		upcoming := c.upcoming(t, "subject="+subject.String())
		require.Len(t, upcoming, 1)
		require.Equal(t, []string{want, "Asia/Kathmandu"}, []string{upcoming[0].Kind, upcoming[0].TimeZone})
	}
	require.Empty(t, c.upcoming(t, "subject="+twin.String()))
}

// Bookings, changes and wallets come for a customer while it is merged. Each is done for one of both customers or
// refused, and none stays behind.
func TestMerge_WhileTheCustomerBooksMovesAndPays_NothingStaysBehind(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 300))
	person := func(name string) object { return object{"name": name, "email": uuid.NewString() + "@example.com"} }
	for round := range testtime.Rounds(2) {
		_, ada := c.bookFor(t, service, 3, person("Ada"))
		twin := person("Twin")
		paid, gone := c.bookFor(t, service, 3, twin)
		moved, _ := c.bookFor(t, service, 3, twin)
		cancelled, _ := c.bookFor(t, service, 3, twin)
		given, grace := c.bookFor(t, service, 3, person("Grace"))

		booked := make([]answer, 6)
		var paying, moving, cancelling, giving, wallet, merged answer
		var all sync.WaitGroup
		for i := range booked {
			body := without(bookingOf(service, future(3+i), object{"customer_id": gone.String()}), []any{"customer"})
			all.Go(func() { booked[i] = c.post(t, "/v1/bookings", body) })
		}
		all.Go(func() { paying = c.payWith(t, paid, "pm_ok", 1000) })
		all.Go(func() {
			moving = c.post(t, "/v1/bookings/"+moved.String()+"/reschedule", object{"date": future(30).String()})
		})
		all.Go(func() { cancelling = c.post(t, "/v1/bookings/"+cancelled.String()+"/cancel", nil) })
		all.Go(func() { giving = c.patch(t, "/v1/bookings/"+given.String(), object{"customer_id": gone.String()}) })
		all.Go(func() { wallet = c.post(t, "/v1/wallets", object{"customer_id": gone.String(), "currency": "EUR"}) })
		all.Go(func() { merged = c.merge(t, gone, ada) })
		all.Wait()

		for name, a := range map[string]answer{"merge": merged, "move": moving, "cancel": cancelling} {
			require.Equal(t, http.StatusOK, a.status, "round %d: %s: %s", round, name, a.body)
		}
		require.Equal(t, http.StatusCreated, paying.status, paying.body)
		bookings, wallets, owner := 4, 0, grace
		for _, a := range booked {
			bookings += c.doneOrMissing(t, a, http.StatusCreated)
		}
		if c.doneOrMissing(t, giving, http.StatusOK) == 1 {
			bookings, owner = bookings+1, ada
		}
		wallets += c.doneOrMissing(t, wallet, http.StatusCreated)
		require.Equal(t, bookings, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", ada), "round %d",
			round)
		require.Zero(t, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", gone))
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND customer_id = $2",
			given, owner))
		require.Equal(t, wallets, c.count(t, "SELECT count(*) FROM wallets WHERE customer_id = $1", ada))
		require.Zero(t, c.count(t, "SELECT count(*) FROM wallets WHERE customer_id = $1", gone))
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND date = $2", moved,
			future(30).String()))
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings WHERE booking_id = $1 AND status = 'cancelled'",
			cancelled))
		require.Equal(t, 1000,
			c.count(t, "SELECT sum(amount) FROM payments WHERE booking_id = $1 AND status = 'succeeded'", paid))
		for _, id := range []uuid.UUID{paid, moved, cancelled, given} {
			c.history(t, "/v1/bookings/"+id.String()) // one entry a version
		}
	}
	c.toldInOrder(t)
}

// doneOrMissing returns 1 for an answer of a status, and 0 for a customer who is not found.
func (c client) doneOrMissing(t testingT, a answer, done int) int {
	t.Helper()
	if a.status == done {
		return 1
	}
	requireProblem(t, a, http.StatusNotFound, problem.NotFound)
	return 0
}

// A merge, and erasures of both customers, come at once. Whichever comes first, nothing of an erased person stays.
func TestMerge_WhileBothCustomersAreErased_LeavesNothingOfThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 50))
	for round := range testtime.Rounds(2) {
		word := "Qzx" + uuid.NewString()[:8]
		note := object{"metadata": object{"note": word}}
		_, ada := c.bookFor(t, service, 3, object{"name": word, "email": word + "@example.com"}, note)
		_, twin := c.bookFor(t, service, 3, object{"name": word, "email": word + "-twin@example.com"}, note)
		var merged, adaErased, twinErased answer
		var all sync.WaitGroup
		all.Go(func() { merged = c.merge(t, twin, ada) })
		all.Go(func() { adaErased = c.post(t, customerPath(ada)+"/erase", nil) })
		all.Go(func() { twinErased = c.post(t, customerPath(twin)+"/erase", nil) })
		all.Wait()

		require.Equal(t, http.StatusOK, adaErased.status, adaErased.body)
		ofAda := 1
		if merged.status == http.StatusOK {
			ofAda = 2
			requireProblem(t, twinErased, http.StatusConflict, problem.InvalidState)
		} else {
			requireProblem(t, merged, http.StatusConflict, problem.InvalidState)
			require.Equal(t, http.StatusOK, twinErased.status, twinErased.body)
		}
		require.Empty(t, c.holding(t, word), "round %d", round)
		require.Equal(t, ofAda, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", ada))
		require.Equal(t, 2-ofAda, c.count(t, "SELECT count(*) FROM bookings WHERE customer_id = $1", twin))
		require.Equal(t, 2, c.count(t,
			"SELECT count(*) FROM customers WHERE customer_id IN ($1, $2) AND erased_at IS NOT NULL", ada, twin))
	}
	c.toldInOrder(t)
}

func TestErase_OfACustomerWhoseBookingWentToAnother_ErasesWhatWasToldBefore(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.echoed(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 9))
	word := "Qzx" + uuid.NewString()[:8]
	patched, person := c.bookFor(t, service, 3, object{"name": word, "email": word + "@example.com"},
		object{"metadata": object{"note": word}})
	confirmed, _ := c.bookFor(t, service, 4, object{"name": word, "email": word + "@example.com"},
		object{"hold_minutes": 60})
	paid := c.payWith(t, patched, "pm_ok", 1000).id(t)
	_, err := c.sql.Exec(t.Context(), "UPDATE payments SET action_url = $2, client_secret = $2 WHERE payment_id = $1",
		paid, word)
	require.NoError(t, err)
	other := object{"name": "Grace Hopper", "email": "grace@example.com"}
	require.Equal(t, http.StatusOK,
		c.patch(t, "/v1/bookings/"+patched.String(),
			object{"customer": other, "metadata": object{"note": "Grace's"}}).status)
	require.Equal(t, http.StatusOK,
		c.post(t, "/v1/bookings/"+confirmed.String()+"/confirm", object{"customer": other}).status)
	c.sendMessages(t)
	before := c.holding(t, word)
	for _, column := range []string{"changes.data", "event_attempts.details", "payments.action_url"} {
		require.Contains(t, before, column, "the search must be able to fail")
	}
	others := c.holding(t, "Grace Hopper")
	require.Contains(t, others, "event_attempts.details")

	require.Equal(t, http.StatusOK, c.post(t, customerPath(person)+"/erase", nil).status)
	require.Empty(t, c.holding(t, word))
	require.Equal(t, others, c.holding(t, "Grace Hopper"), "what shows the other customer stays")
	a := c.get(t, "/v1/bookings/"+patched.String())
	require.Equal(t, object{"note": "Grace's"}, a.field(t, "metadata"))
	require.Equal(t, "Grace Hopper", a.field(t, "customer").(object)["name"])
	c.history(t, "/v1/bookings/"+patched.String()) // still one entry a version
}

func TestErase_OfACustomerWhoseBookingCameBackAndWentAgain_ErasesBothTimesAndNothingElse(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.echoed(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	word := func(name string) string { return name + uuid.NewString()[:8] }
	first, others, second, last := word("First"), word("Others"), word("Second"), word("Last")
	booking, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com"},
		object{"metadata": object{"note": first}})
	_, grace := c.bookFor(t, service, 3, object{"name": "Grace", "email": "grace@example.com"})
	_, linus := c.bookFor(t, service, 3, object{"name": "Linus", "email": "linus@example.com"})
	for _, step := range []struct {
		customer uuid.UUID
		note     string
	}{{grace, others}, {ada, second}, {linus, last}} {
		body := object{"customer_id": step.customer.String(), "metadata": object{"note": step.note}}
		require.Equal(t, http.StatusOK, c.patch(t, "/v1/bookings/"+booking.String(), body).status)
	}
	c.sendMessages(t)
	kept := make(map[string]map[string]int)
	for _, note := range []string{first, others, second, last} {
		kept[note] = c.holding(t, note)
		for _, column := range []string{"changes.data", "event_attempts.details"} {
			require.Contains(t, kept[note], column, "the search must be able to fail")
		}
	}

	// Nobody else's is erased with it, but stored responses are, which may show either customer.
	require.Equal(t, http.StatusOK, c.post(t, customerPath(ada)+"/erase", nil).status)
	withoutResponses := func(columns map[string]int) map[string]int {
		columns = maps.Clone(columns)
		delete(columns, "idempotency_keys.body")
		return columns
	}
	require.Empty(t, c.holding(t, first))
	require.Empty(t, c.holding(t, second))
	require.Equal(t, withoutResponses(kept[others]), withoutResponses(c.holding(t, others)))
	require.Equal(t, withoutResponses(kept[last]), withoutResponses(c.holding(t, last)))

	require.Equal(t, http.StatusOK, c.post(t, customerPath(grace)+"/erase", nil).status)
	require.Empty(t, c.holding(t, others))
	require.Equal(t, withoutResponses(kept[last]), withoutResponses(c.holding(t, last)))
	c.history(t, "/v1/bookings/"+booking.String()) // still one entry a version
}

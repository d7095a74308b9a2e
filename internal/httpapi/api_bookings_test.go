package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/store/storetest"
)

func TestTenant_IsMadeOnceWithAKeyThatIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.admin()
	body := object{"slug": "harbour", "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR"}
	made := admin.post(t, "/admin/v1/tenants", body, "Idempotency-Key", "make harbour")
	id := admin.created(t, made)
	require.Equal(t, "/admin/v1/tenants/"+id.String(), made.header.Get("Location"))
	require.Empty(t, made.header.Get("Idempotent-Replayed"))
	key := made.text(t, "api_key")
	require.True(t, strings.HasPrefix(key, "hf_"), key)
	for name, value := range body {
		require.Equal(t, value, made.field(t, name))
	}
	require.Equal(t, http.StatusOK, client{apiServer: s, key: key}.get(t, "/v1/bookings").status)

	var want, got object
	made.read(t, &want)
	delete(want, "api_key")
	replay := admin.post(t, "/admin/v1/tenants", body, "Idempotency-Key", "make harbour")
	require.Equal(t, made.status, replay.status)
	require.Equal(t, made.header.Get("Location"), replay.header.Get("Location"))
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	replay.read(t, &got)
	require.Equal(t, want, got, "the key is shown once")
	require.NotContains(t, replay.body, "hf_")

	before := s.tables(t)
	requireProblem(t, admin.post(t, "/admin/v1/tenants", body), http.StatusConflict, problem.AlreadyExists)
	require.Equal(t, before, s.tables(t))
	body["slug"] = "harbour-2"
	admin.created(t, admin.post(t, "/admin/v1/tenants", body))
}

func TestBooking_FromCatalogToCompletion(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 4)
	made := c.get(t, "/v1/resources/"+resource.String())
	require.Equal(t, object{"always_open": true, "overrides": []any{}}, made.field(t, "hours"), "open always")
	hours := object{
		"weekly":    []any{object{"weekday": "monday", "opens": "09:00", "closes": "12:00"}},
		"overrides": []any{object{"date": future(1).String(), "opens": "20:00", "closes": "24:00"}, object{"date": future(7).String(), "closed": true}},
	}
	set := c.put(t, "/v1/resources/"+resource.String()+"/hours", hours)
	require.Equal(t, http.StatusOK, set.status, set.body)
	require.Equal(t, hours, set.field(t, "hours"))
	require.Equal(t, set.body, c.get(t, "/v1/resources/"+resource.String()).body)

	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000, "metadata": object{"colour": "red"}}, resource)
	offer := c.get(t, "/v1/services/"+service.String())
	require.Equal(t, "EUR", offer.field(t, "currency"))
	require.EqualValues(t, 60, offer.field(t, "slot_interval_minutes"), "the duration, if it isn't given")
	require.Equal(t, object{"colour": "red"}, offer.field(t, "metadata"))

	require.Equal(t, []string{"09:00", "10:00", "11:00"}, c.on(t, service, future(0)).clocks())
	start := at(future(0), 10, 0)
	body := bookingOf(service, start, object{
		"party_size": 3, "hold_minutes": 15, "metadata": object{"table": "7"},
		"customer": object{
			"name": "Ada Lovelace", "email": "Ada@Example.com", "phone": "+44 20", "time_zone": "Europe/London", "birthday": "1990-12-10",
		},
	})
	held := c.post(t, "/v1/bookings", body)
	id := c.created(t, held)
	path := "/v1/bookings/" + id.String()
	require.Equal(t, path, held.header.Get("Location"))
	require.Equal(t, `"1"`, held.header.Get("ETag"))
	var b struct {
		ServiceID     uuid.UUID `json:"service_id"`
		ResourceID    uuid.UUID `json:"resource_id"`
		Customer      object
		Status, Date  string
		StartsAt      string    `json:"starts_at"`
		EndsAt        string    `json:"ends_at"`
		TimeZone      string    `json:"time_zone"`
		PartySize     int       `json:"party_size"`
		HoldExpiresAt time.Time `json:"hold_expires_at"`
		Price         int64
		Deposit       int64
		Currency      string
		Version       int64
		Metadata      object
		CreatedAt     time.Time `json:"created_at"`
		UpdatedAt     time.Time `json:"updated_at"`
	}
	held.read(t, &b)
	require.Equal(t, service, b.ServiceID)
	require.Equal(t, resource, b.ResourceID)
	require.Equal(t, "held", b.Status)
	require.Equal(t, future(0).String(), b.Date)
	require.Equal(t, rfc3339(start), b.StartsAt, "in the tenant's time zone")
	require.Equal(t, rfc3339(start.Add(time.Hour)), b.EndsAt)
	require.Equal(t, "Europe/Berlin", b.TimeZone)
	require.Equal(t, 3, b.PartySize)
	require.Equal(t, 15*time.Minute, b.HoldExpiresAt.Sub(b.CreatedAt))
	require.Equal(t, []any{int64(4500), int64(1000), "EUR", int64(1)}, []any{b.Price, b.Deposit, b.Currency, b.Version})
	require.Equal(t, object{"table": "7"}, b.Metadata)
	require.Equal(t, b.CreatedAt, b.UpdatedAt)
	customer := b.Customer["id"]
	delete(b.Customer, "id")
	require.Equal(t, object{
		"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+44 20", "time_zone": "Europe/London", "birthday": "1990-12-10",
	}, b.Customer)
	require.Equal(t, 1, c.on(t, service, future(0)).Slots[1].Remaining)

	confirmed := c.post(t, path+"/confirm", nil)
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	require.Equal(t, "confirmed", confirmed.field(t, "status"))
	require.Equal(t, `"2"`, confirmed.header.Get("ETag"))
	read := c.get(t, path)
	require.Equal(t, confirmed.body, read.body, "what is read is what was answered")
	require.Equal(t, `"2"`, read.header.Get("ETag"))

	days := c.newService(t, "date", nil, c.newResource(t, 2))
	requireProblem(t, c.post(t, path+"/complete", nil), http.StatusConflict, problem.InvalidState)
	requireProblem(t, c.post(t, path+"/no-show", nil), http.StatusConflict, problem.InvalidState)
	for i, change := range []string{"complete", "no-show"} {
		status := []string{"completed", "no_show"}[i]
		other := c.begun(t, c.book(t, days, future(i)).id(t))
		done := c.post(t, "/v1/bookings/"+other.String()+"/"+change, nil)
		require.Equal(t, http.StatusOK, done.status, done.body)
		require.Equal(t, status, done.field(t, "status"))
		requireProblem(t, c.post(t, "/v1/bookings/"+other.String()+"/cancel", nil), http.StatusConflict, problem.InvalidState)
	}

	cancelled := c.post(t, path+"/cancel", "{}")
	require.Equal(t, http.StatusOK, cancelled.status, cancelled.body)
	require.Equal(t, "cancelled", cancelled.field(t, "status"))
	require.Equal(t, `"3"`, cancelled.header.Get("ETag"))
	for _, change := range []string{"confirm", "cancel", "complete", "no-show"} {
		requireProblem(t, c.post(t, path+"/"+change, nil), http.StatusConflict, problem.InvalidState)
	}
	require.Equal(t, 4, c.on(t, service, future(0)).Slots[1].Remaining, "what is cancelled is free")

	// The customer is known by now, by address in any spelling or by id.
	again := c.book(t, service, start, object{"customer": object{"name": "Somebody Else", "email": " ADA@example.COM"}})
	require.Equal(t, customer, again.field(t, "customer").(object)["id"])
	require.Equal(t, "Somebody Else", again.field(t, "customer").(object)["name"], "as it was given for this booking")
	byID := without(bookingOf(service, start, object{"customer_id": customer}), []any{"customer"})
	known := c.post(t, "/v1/bookings", byID).field(t, "customer").(object)
	require.Equal(t, []any{customer, "Ada Lovelace", "+44 20"}, []any{known["id"], known["name"], known["phone"]}, "what was known first")
}

func TestHold_PastItsExpiry_CountsAsFreeAndCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	start := at(future(0), 10, 0)
	hold := c.book(t, service, start, object{"hold_minutes": 1}).id(t)
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, start)
	require.Zero(t, c.on(t, service, future(0)).Slots[10].Remaining)
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now()")
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), storetest.SyncClaims)
	require.NoError(t, err)
	require.Equal(t, 1, c.on(t, service, future(0)).Slots[10].Remaining)
	for _, change := range []string{"confirm", "cancel"} {
		requireProblem(t, c.post(t, "/v1/bookings/"+hold.String()+"/"+change, nil), http.StatusConflict, problem.HoldExpired)
	}
	c.book(t, service, start)
	require.Equal(t, "expired", c.get(t, "/v1/bookings/"+hold.String()).field(t, "status"))
	requireProblem(t, c.post(t, "/v1/bookings/"+hold.String()+"/confirm", nil), http.StatusConflict, problem.HoldExpired)
}

func TestIfMatch_RefusesAChangeToAnotherVersion(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	for _, test := range []struct {
		name    string
		headers []string
		matches bool
	}{
		{"none", nil, true},
		{"the version", []string{`"1"`}, true},
		{"any", []string{`*`}, true},
		{"any, with blanks", []string{` * `}, true},
		{"a list with the version", []string{`"7", "1" ,"9"`}, true},
		{"the version in a second header", []string{`"7"`, `"1"`}, true},
		{"a version to come", []string{`"2"`}, false},
		{"a list without the version", []string{`"2","3"`}, false},
		{"a weak tag of the version", []string{`W/"1"`}, false},
		{"the version without quotes", []string{`1`}, false},
		{"nonsense", []string{`",`}, false},
		{"the version with a zero", []string{`"01"`}, false},
		{"a blank", []string{" "}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := "/v1/bookings/" + c.book(t, service, at(future(0), 10, 0)).id(t).String()
			var headers []string
			for _, h := range test.headers {
				headers = append(headers, "If-Match", h)
			}
			before := c.tables(t)
			a := c.post(t, path+"/cancel", nil, headers...)
			if test.matches {
				require.Equal(t, http.StatusOK, a.status, a.body)
				return
			}
			requireProblem(t, a, http.StatusPreconditionFailed, problem.VersionMismatch)
			require.Equal(t, before, c.tables(t))
		})
	}
	// The tag that was read goes stale with the next change, whatever the change.
	hold := c.book(t, service, at(future(1), 10, 0), object{"hold_minutes": 30})
	path := "/v1/bookings/" + hold.id(t).String()
	require.Equal(t, http.StatusOK, c.post(t, path+"/confirm", nil, "If-Match", hold.header.Get("ETag")).status)
	requireProblem(t, c.post(t, path+"/cancel", nil, "If-Match", hold.header.Get("ETag")), http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil, "If-Match", c.get(t, path).header.Get("ETag")).status)
}

func TestIdempotency_EveryOperationThatMakesOrMoves_ReplaysByteForByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	ids := make([]string, 0)
	samples := f.samples(t)
	for id := range samples {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		s := samples[id]
		switch {
		case s.method != http.MethodPost || keyless(id):
			continue
		case id == "complete-booking" || id == "no-show-booking": // of bookings that have begun
			begun := f.begun(t, f.book(t, f.dates, future(len(id))).id(t)) // a date of its own for each
			s.path = strings.Replace(s.path, f.hold.String(), begun.String(), 1)
		case id == "cancel-payment": // one that has no end
			s.path = strings.Replace(s.path, f.payment.String(), f.processing(t, f.book(t, f.slots, at(future(2), 10, 0)).id(t)).id(t).String(), 1)
		case id == "archive-resource": // one that isn't needed
			s.path = strings.Replace(s.path, f.resource.String(), f.newResource(t, 1).String(), 1)
		case id == "archive-service":
			s.path = strings.Replace(s.path, f.slots.String(), f.newService(t, "date", nil, f.resource).String(), 1)
		case id == "merge-customer" || id == "unarchive-customer": // erase-customer ended the fixture's
			made := f.created(t, f.post(t, "/v1/customers", object{"name": "Twin", "email": id + "@example.com"}))
			s.path = strings.Replace(s.path, f.customer.String(), made.String(), 1)
		case id == "release-wallet-hold": // capture-wallet-hold ended the fixture's
			hold := f.post(t, walletPath(f.card)+"/holds", object{"amount": 5}).field(t, "entry").(object)["hold_id"].(string)
			s.path = strings.Replace(s.path, f.walletHold.String(), hold, 1)
		case id == "extend-booking": // one that isn't confirmed yet
			s.path = strings.Replace(s.path, f.hold.String(), f.book(t, f.slots, at(future(2), 12, 0), object{"hold_minutes": 5}).id(t).String(), 1)
		case id == "refund-overpaid": // one that is
			overpaid := f.book(t, f.slots, at(future(2), 11, 0)).id(t)
			f.created(t, f.pay(t, overpaid, object{"kind": "balance", "payment_method": "pm_ok"}))
			_, err := f.sql.Exec(t.Context(), "UPDATE bookings SET price = 1, deposit = 0 WHERE booking_id = $1", overpaid)
			require.NoError(t, err)
			s.path = strings.Replace(s.path, f.hold.String(), overpaid.String(), 1)
		case id == "cancel-booking":
			s.path = strings.Replace(s.path, f.hold.String(), f.booking.String(), 1)
		}
		var body any
		if s.body != nil {
			body = s.body
		}
		t.Run(id, func(t *testing.T) {
			key := uuid.NewString()
			first := s.client.post(t, s.path, body, "Idempotency-Key", key)
			require.Contains(t, []int{http.StatusOK, http.StatusCreated}, first.status, first.body)
			require.Empty(t, first.header.Get("Idempotent-Replayed"))
			before := f.tables(t)
			second := s.client.post(t, s.path, body, "Idempotency-Key", key)
			require.Equal(t, "true", second.header.Get("Idempotent-Replayed"))
			third := s.client.post(t, s.path, body, "Idempotency-Key", key)
			requireSame(t, second, third)
			require.Equal(t, first.status, second.status)
			// The code of a wallet is shown once; that of a booking is no secret.
			ofWallet := strings.Contains(id, "wallet")
			shownOnce := strings.Contains(first.body, "api_key\":") || strings.Contains(first.body, "secret\":") || ofWallet && strings.Contains(first.body, `"code":`)
			if !shownOnce {
				require.Equal(t, first.body, second.body)
			}
			require.NotContains(t, second.body, "hf_")
			require.NotContains(t, second.body, "whsec_")
			if ofWallet {
				require.NotContains(t, second.body, `"code":`)
			}
			for _, name := range []string{"Content-Type", "ETag", "Location"} {
				require.Equal(t, first.header.Values(name), second.header.Values(name), name)
			}

			// Anything else under the same key is refused, whether it would be valid or not.
			others := []any{`{}`, object{"name": "Another"}}
			if s.body != nil {
				others = append(others, with(s.body, []any{"metadata"}, object{"other": 1}), with(s.body, []any{"name"}, "Other"),
					with(s.body, []any{"reason"}, "Other"), with(s.body, []any{"currency"}, "GBP"),
					with(s.body, []any{"into"}, f.booking.String()), with(s.body, []any{"amount"}, 8), with(s.body, []any{"hold_minutes"}, 31), with(s.body, []any{"description"}, "Another"), with(s.body, []any{"to"}, "2027-07-03T00:00:00Z"))
			}
			reused := 0
			for _, other := range others {
				a := s.client.post(t, s.path, other, "Idempotency-Key", key)
				require.Equal(t, http.StatusUnprocessableEntity, a.status, a.body)
				var d document
				a.read(t, &d)
				if d.Code == problem.IdempotencyKeyReused {
					reused++
				}
			}
			require.Positive(t, reused)
			elsewhere := s.client.post(t, s.path+"/", body, "Idempotency-Key", key)
			require.Equal(t, http.StatusNotFound, elsewhere.status)
			require.Equal(t, before, f.tables(t), "a retry or a mismatch wrote something")
			requireSame(t, second, s.client.post(t, s.path, body, "Idempotency-Key", key))
		})
	}
}

func TestIdempotency_SameKeyForAnotherPath_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := "/v1/bookings/" + f.hold.String()
	confirmed := f.post(t, path+"/confirm", nil, "Idempotency-Key", "k")
	require.Equal(t, http.StatusOK, confirmed.status)
	requireProblem(t, f.post(t, path+"/cancel", nil, "Idempotency-Key", "k"), http.StatusUnprocessableEntity, problem.IdempotencyKeyReused)
	requireProblem(t, f.post(t, "/v1/bookings/"+f.booking.String()+"/confirm", nil, "Idempotency-Key", "k"),
		http.StatusUnprocessableEntity, problem.IdempotencyKeyReused)
	// A retry is answered although the change would be refused by now, and whatever it expects.
	require.Equal(t, http.StatusOK, f.post(t, path+"/cancel", nil).status)
	replay := f.post(t, path+"/confirm", nil, "Idempotency-Key", "k", "If-Match", `"1"`)
	require.Equal(t, confirmed.body, replay.body)
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
}

func TestIdempotency_SameValueWrittenOtherwise_IsReplayed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	payments, refunds := "/v1/bookings/"+f.booking.String()+"/payments", "/v1/payments/"+f.payment.String()+"/refunds"
	booking := func(metadata string) string {
		return `{"service_id":"` + f.slots.String() + `","starts_at":"` + at(future(3), 10, 0).Format(time.RFC3339) + `",` +
			`"customer":{"name":"Ada","email":"ada@example.com"},"metadata":` + metadata + `}`
	}
	for _, tt := range []struct {
		path, body  string
		same, other []string
	}{
		{refunds, `{"amount":3}`, []string{" {\n\t\"amount\" : 3\r\n}\n", `{"\u0061mount":3}`}, []string{`{"amount":4}`, `{}`}},
		{
			payments, `{"kind":"amount","amount":5,"payment_method":"pm_ok"}`,
			[]string{`{"amount": 5, "payment_method": "pm_ok", "kind": "amount"}`, `{"payment_method":"pm\u005fok","kind":"amount","amount":5}`},
			[]string{`{"kind":"amount","amount":6,"payment_method":"pm_ok"}`},
		},
		{
			"/v1/bookings", booking(`{"a":1,"b":[true,false]}`), []string{booking(` { "b": [true, false], "a": 1 } `)},
			[]string{booking(`{"a":1,"b":[false,true]}`), booking(`{"a":1.0,"b":[true,false]}`), booking(`{"A":1,"b":[true,false]}`)},
		},
	} {
		key := uuid.NewString()
		first := f.post(t, tt.path, tt.body, "Idempotency-Key", key)
		require.Equal(t, http.StatusCreated, first.status, first.body)
		before := f.tables(t)
		for _, same := range tt.same {
			replay := f.post(t, tt.path, same, "Idempotency-Key", key)
			require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"), replay.body)
			require.Equal(t, first.body, replay.body)
		}
		for _, other := range tt.other {
			d := requireProblem(t, f.post(t, tt.path, other, "Idempotency-Key", key), http.StatusUnprocessableEntity, problem.IdempotencyKeyReused)
			require.Contains(t, d.Detail, "was carried out")
			require.Contains(t, d.Detail, first.header.Get("Location"))
		}
		twice := strings.Replace(tt.body, "{", `{"amount":3,"amount":3,`, 1)
		requireProblem(t, f.post(t, tt.path, twice, "Idempotency-Key", key), http.StatusBadRequest, problem.MalformedRequest)
		require.Equal(t, before, f.tables(t), "a repetition wrote something")
	}
}

func TestIdempotency_RefusalLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", nil, resource)
	start := at(future(0), 10, 0)
	first := c.book(t, service, start).id(t)
	body := bookingOf(service, start)
	requireProblem(t, c.post(t, "/v1/bookings", body, "Idempotency-Key", "k"), http.StatusConflict, problem.SlotUnavailable)
	requireProblem(t, c.post(t, "/v1/bookings", `{}`, "Idempotency-Key", "k"), http.StatusUnprocessableEntity, problem.ValidationFailed)
	requireProblem(t, c.post(t, "/v1/bookings", `{`, "Idempotency-Key", "k"), http.StatusBadRequest, problem.MalformedRequest)
	requireProblem(t, c.post(t, "/v1/bookings/"+uuid.NewString()+"/cancel", nil, "Idempotency-Key", "k"), http.StatusNotFound, problem.NotFound)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+first.String()+"/cancel", nil).status)
	made := c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	c.created(t, made)
	require.Equal(t, made.body, c.post(t, "/v1/bookings", body, "Idempotency-Key", "k").body)
}

func TestIdempotency_HoldsOnEveryServer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	there := client{apiServer: c.another(t), key: c.key, tenant: c.tenant}
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	body := bookingOf(service, at(future(0), 10, 0))
	made := c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	c.created(t, made)
	replay := there.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	require.Equal(t, made.body, replay.body)
	for _, other := range []object{
		bookingOf(service, at(future(0), 11, 0)),
		bookingOf(service, at(future(0), 10, 0)),               // taken
		bookingOf(service, future(0)),                          // not valid
		bookingOf(uuid.New(), at(future(0), 10, 0)),            // not there
		with(body, []any{"customer", "email"}, "not an email"), // not valid either
	} {
		fresh := client{apiServer: c.another(t), key: c.key, tenant: c.tenant} // it remembers no key
		requireProblem(t, fresh.post(t, "/v1/bookings", other, "Idempotency-Key", "k"), http.StatusUnprocessableEntity, problem.IdempotencyKeyReused)
	}
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings"))
}

// keyless reports whether a POST takes no key: it stores nothing.
func keyless(operation string) bool {
	return operation == "preview-email" || operation == "look-up-wallet"
}

func TestIdempotency_KeyThatCannotBeOne_Is400AndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	for id, s := range f.samples(t) {
		if s.method != http.MethodPost || keyless(id) {
			continue
		}
		var body any
		if s.body != nil {
			body = s.body
		}
		keyed := func(name string, code problem.Code, keys ...string) refusal {
			r := refusal{name: name, method: s.method, path: s.path, body: body, status: http.StatusBadRequest, code: code}
			for _, key := range keys {
				r.headers = append(r.headers, "Idempotency-Key", key)
			}
			return r
		}
		t.Run(id, func(t *testing.T) {
			requireRefused(t, s.client, []refusal{
				keyed("none", problem.IdempotencyKeyMissing, ""),
				keyed("256 bytes", problem.IdempotencyKeyInvalid, strings.Repeat("k", 256)),
				keyed("10,000 bytes", problem.IdempotencyKeyInvalid, strings.Repeat("k", 10_000)),
				keyed("a tab", problem.IdempotencyKeyInvalid, "a\tb"),
				keyed("not ASCII", problem.IdempotencyKeyInvalid, "schlüssel"),
				keyed("not UTF-8", problem.IdempotencyKeyInvalid, "a\xff"),
				keyed("two", problem.IdempotencyKeyInvalid, "a", "b"),
				keyed("the same twice", problem.IdempotencyKeyInvalid, "a", "a"),
			})
		})
	}
	// net/http refuses other control characters before anybody else sees them; its own client doesn't send them.
	raw := func(control string) answer {
		return f.raw(t, "POST /v1/resources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+f.key+"\r\nIdempotency-Key: a"+control+
			"\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n"+`{"name":"B","capacity": 1}`)
	}
	f.created(t, raw("b"))
	before := f.tables(t)
	for _, control := range []string{"\x01", "\x1b", "\x7f", "\x00"} {
		requireProblem(t, raw(control), http.StatusBadRequest, problem.MalformedRequest)
		require.Equal(t, before, f.tables(t))
	}
	// The longest key there may be, and every character that may be in one.
	for _, key := range []string{strings.Repeat("k", 255), "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~ !"} {
		body := object{"name": "Boat", "capacity": 1}
		made := f.post(t, "/v1/resources", body, "Idempotency-Key", key)
		f.created(t, made)
		require.Equal(t, made.body, f.post(t, "/v1/resources", body, "Idempotency-Key", key).body)
	}
}

func TestIdempotency_ManyAtOnceWithOneKey_MakeOneBooking(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	body := bookingOf(service, at(future(0), 10, 0))
	answers := make(chan answer, 20)
	for range cap(answers) {
		go func() { answers <- c.post(t, "/v1/bookings", body, "Idempotency-Key", "k") }()
	}
	replays := 0
	bodies := make(map[string]bool)
	for range cap(answers) {
		a := <-answers
		require.Equal(t, http.StatusCreated, a.status, a.body)
		bodies[a.body] = true
		if a.header.Get("Idempotent-Replayed") == "true" {
			replays++
		}
	}
	require.Len(t, bodies, 1)
	require.Equal(t, cap(answers)-1, replays)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings"))
}

func TestLists_PagesAreStableAndWholeWhateverTheirSize(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var resources, services, closures, bookings []string
	for range 7 {
		resources = append(resources, c.newResource(t, 1).String())
	}
	first := uuid.MustParse(resources[0])
	for i := range 7 {
		services = append(services, c.newService(t, "slot", nil, first).String())
		closures = append(closures, c.newClosure(t, nil, future(100+i), future(100+i)).String())
	}
	service := uuid.MustParse(services[0])
	for i := range 12 { // dates in reverse, and three bookings each
		bookings = append(bookings, c.book(t, service, at(future(3-i/3), 8+i%3, 0)).id(t).String())
	}
	byDate := slices.Concat(bookings[9:12], bookings[6:9], bookings[3:6], bookings[:3])
	for path, want := range map[string][]string{
		"/v1/resources": resources, "/v1/services": services, "/v1/closures": closures, "/v1/bookings": byDate,
	} {
		for _, limit := range []string{"", "1", "2", "3", "5", "6", "7", "12", "200"} {
			query := url.Values{}
			if limit != "" {
				query.Set("limit", limit)
			}
			require.Equal(t, want, c.listAll(t, path, query), "%s by %s", path, limit)
		}
		page := c.list(t, path+"?limit=2")
		require.Len(t, page.Data, 2)
		require.Equal(t, page, c.list(t, path+"?limit=2"))
		last := c.list(t, fmt.Sprintf("%s?limit=%d", path, len(want)))
		require.Len(t, last.Data, len(want))
		require.Empty(t, last.NextCursor, "there is no page after the last")
		// What a list shows is what is read one by one.
		one := c.get(t, path+"/"+want[0])
		require.Equal(t, http.StatusOK, one.status, one.body)
		var read object
		one.read(t, &read)
		require.Equal(t, page.Data[0], read)
	}
	// What is added meanwhile, before or after the place where a reader is, moves nothing.
	page := c.list(t, "/v1/bookings?limit=4")
	before, after := c.book(t, service, at(future(-1), 8, 0)).id(t).String(), c.book(t, service, at(future(9), 8, 0)).id(t).String()
	rest := c.listAll(t, "/v1/bookings", url.Values{"limit": {"3"}, "cursor": {page.NextCursor}})
	require.Equal(t, append(byDate[4:len(byDate):len(byDate)], after), rest)
	require.Equal(t, before, c.list(t, "/v1/bookings?limit=1").Data[0]["id"])
}

func TestLists_FilterBookings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, raft := c.newResource(t, 10), c.newResource(t, 10)
	tour, trip := c.newService(t, "slot", nil, boat, raft), c.newService(t, "date", nil, raft)
	confirmed := c.book(t, tour, at(future(0), 10, 0))
	held := c.book(t, tour, at(future(1), 10, 0), object{"hold_minutes": 10, "resource_id": raft.String()})
	cancelled := c.book(t, trip, future(2))
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+cancelled.id(t).String()+"/cancel", nil).status)
	late := c.book(t, tour, at(future(3), 23, 30).Add(-30*time.Minute))
	ids := func(list ...answer) []string {
		texts := []string{}
		for _, a := range list {
			texts = append(texts, a.id(t).String())
		}
		return texts
	}
	customer := held.field(t, "customer").(object)["id"].(string)
	for query, want := range map[string][]string{
		"":                             ids(confirmed, held, cancelled, late),
		"status=confirmed":             ids(confirmed, late),
		"status=held":                  ids(held),
		"status=cancelled":             ids(cancelled),
		"status=expired":               ids(),
		"status=no_show":               ids(),
		"service_id=" + tour.String():  ids(confirmed, held, late),
		"service_id=" + trip.String():  ids(cancelled),
		"resource_id=" + boat.String(): ids(confirmed, late),
		"resource_id=" + raft.String(): ids(held, cancelled),
		"customer_id=" + customer:      ids(held),
		"from=" + future(1).String():   ids(held, cancelled, late),
		"to=" + future(1).String():     ids(confirmed, held),
		"from=" + future(1).String() + "&to=" + future(2).String():  ids(held, cancelled),
		"from=" + future(3).String() + "&to=" + future(3).String():  ids(late),
		"from=" + future(2).String() + "&to=" + future(1).String():  ids(),
		"status=confirmed&service_id=" + trip.String():              ids(),
		"status=held&resource_id=" + raft.String() + "&limit=1":     ids(held),
		"from=1900-01-01&to=9000-12-31&service_id=" + tour.String(): ids(confirmed, held, late),
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, want, c.listAll(t, "/v1/bookings", values), query)
		values.Set("limit", "1")
		require.Equal(t, want, c.listAll(t, "/v1/bookings", values), "%s, one by one", query)
	}
}

func TestClosure_IsReadAndListed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	id := c.newClosure(t, &resource, future(0), future(2))
	path := "/v1/closures/" + id.String()
	var read object
	c.get(t, path).read(t, &read)
	delete(read, "created_at")
	delete(read, "updated_at")
	require.Equal(t, object{
		"version": float64(1), "id": id.String(), "resource_id": resource.String(), "from": future(0).String(), "to": future(2).String(), "reason": "Winter",
	}, read)
	require.Equal(t, id.String(), c.list(t, "/v1/closures").Data[0]["id"])
}

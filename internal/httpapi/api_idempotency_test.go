package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestIdempotency_EveryOperationThatMakesOrMoves_ReplaysByteForByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	ids := make([]string, 0)
	samples := f.samples(t)
	for id := range samples {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var withoutLocation []string // although they made something
	for _, id := range ids {
		s := samples[id]
		switch {
		case s.method != http.MethodPost || keyless(id):
			continue
		case id == "complete-booking" || id == "no-show-booking": // of bookings that have begun
			begun := f.begun(t, f.book(t, f.dates, future(len(id))).id(t)) // a date of its own for each
			s.path = strings.Replace(s.path, f.hold.String(), begun.String(), 1)
		case id == "cancel-payment": // one that has no end
			payment := f.processing(t, f.book(t, f.slots, at(future(2), 10, 0)).id(t)).id(t)
			s.path = strings.Replace(s.path, f.payment.String(), payment.String(), 1)
		case id == "archive-resource": // one that isn't needed
			s.path = strings.Replace(s.path, f.resource.String(), f.newResource(t, 1).String(), 1)
		case id == "archive-service":
			s.path = strings.Replace(s.path, f.slots.String(), f.newService(t, "date", nil, f.resource).String(), 1)
		case id == "merge-customer" || id == "unarchive-customer": // erase-customer ended the fixture's
			made := f.created(t, f.post(t, "/v1/customers", object{"name": "Twin", "email": id + "@example.com"}))
			s.path = strings.Replace(s.path, f.customer.String(), made.String(), 1)
		case id == "release-wallet-hold": // capture-wallet-hold ended the fixture's
			hold := f.post(t, walletPath(f.card)+"/holds", object{"amount": 5}).field(t,
				"entry").(object)["hold_id"].(string)
			s.path = strings.Replace(s.path, f.walletHold.String(), hold, 1)
		case id == "extend-booking": // one that isn't confirmed yet
			hold := f.book(t, f.slots, at(future(2), 12, 0), object{"hold_minutes": 5}).id(t)
			s.path = strings.Replace(s.path, f.hold.String(), hold.String(), 1)
		case id == "release-hold": // one that isn't confirmed
			hold := f.created(t,
				f.post(t, holds, object{"service_id": f.slots.String(), "starts_at": at(future(2), 15, 0)}))
			s.path = strings.Replace(s.path, f.visit.String(), hold.String(), 1)
		case id == "complete-refund": // one that is open
			s.path = "/v1/payments/" + f.openRefund(t, f.created(t, f.pay(t, f.hold, inCash(7))).String()) + "/complete"
			s.body["returned_at"] = testtime.Now().Add(time.Minute / 2).Format(time.RFC3339)
		case id == "refund-overpaid": // one that is
			overpaid := f.book(t, f.slots, at(future(2), 11, 0)).id(t)
			f.created(t, f.pay(t, overpaid, object{"kind": "balance", "payment_method": "pm_ok"}))
			_, err := f.sql.Exec(t.Context(), "UPDATE bookings SET price = 1, deposit = 0 WHERE booking_id = $1",
				overpaid)
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
			if first.status == http.StatusCreated && first.header.Get("Location") == "" {
				withoutLocation = append(withoutLocation, id)
			}
			before := f.tables(t)
			second := s.client.post(t, s.path, body, "Idempotency-Key", key)
			require.Equal(t, "true", second.header.Get("Idempotent-Replayed"))
			third := s.client.post(t, s.path, body, "Idempotency-Key", key)
			requireSame(t, second, third)
			require.Equal(t, first.status, second.status)
			// The code of a wallet is shown once; that of a booking is no secret.
			ofWallet := strings.Contains(id, "wallet")
			shownOnce := strings.Contains(first.body, "api_key\":") || strings.Contains(first.body, "secret\":") ||
				ofWallet && strings.Contains(first.body, `"code":`)
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
				others = append(others, with(s.body, []any{"metadata"}, object{"other": 1}),
					with(s.body, []any{"name"}, "Other"),
					with(s.body, []any{"reason"}, "Other"), with(s.body, []any{"currency"}, "GBP"),
					with(s.body, []any{"into"}, f.booking.String()), with(s.body, []any{"amount"}, 8),
					with(s.body, []any{"payment_method"}, "pm_other"), with(s.body, []any{"note"}, "Other"),
					with(s.body, []any{"hold_minutes"}, 31), with(s.body, []any{"description"}, "Another"),
					with(s.body, []any{"to"},
						"2027-07-03T00:00:00Z"))
			}
			reused := 0
			for _, other := range others {
				a := s.client.post(t, s.path, other, "Idempotency-Key", key)
				require.Equal(t, http.StatusUnprocessableEntity, a.status, a.body)
				var d problemDocument
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
	require.Subset(t, []string{
		"capture-wallet-hold", "credit-wallet", "debit-wallet", "hold-wallet", "release-wallet-hold",
		"rotate-wallet-code",
		"transfer",
	}, withoutLocation, "only entries and codes of wallets have no path of their own")
}

func TestIdempotency_SameKeyForAnotherPath_IsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := "/v1/bookings/" + f.hold.String()
	confirmed := f.post(t, path+"/confirm", nil, "Idempotency-Key", "k")
	require.Equal(t, http.StatusOK, confirmed.status)
	requireProblem(t, f.post(t, path+"/cancel", nil, "Idempotency-Key", "k"), http.StatusUnprocessableEntity,
		problem.IdempotencyKeyReused)
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
		return `{"service_id":"` + f.slots.String() + `","starts_at":"` + at(future(3), 10, 0).Format(time.RFC3339) +
			`",` +
			`"customer":{"name":"Ada","email":"ada@example.com"},"metadata":` + metadata + `}`
	}
	for _, tt := range []struct {
		path, body  string
		same, other []string
	}{
		{refunds, `{"amount":3}`, []string{" {\n\t\"amount\" : 3\r\n}\n", `{"\u0061mount":3}`},
			[]string{`{"amount":4}`, `{}`}},
		{
			payments, `{"kind":"amount","amount":5,"payment_method":"pm_ok"}`,
			[]string{`{"amount": 5, "payment_method": "pm_ok", "kind": "amount"}`,
				`{"payment_method":"pm\u005fok","kind":"amount","amount":5}`},
			[]string{`{"kind":"amount","amount":6,"payment_method":"pm_ok"}`},
		},
		{
			"/v1/bookings", booking(`{"a":1,"b":[true,false]}`), []string{booking(` { "b": [true, false], "a": 1 } `)},
			[]string{booking(`{"a":1,"b":[false,true]}`), booking(`{"a":1.0,"b":[true,false]}`),
				booking(`{"A":1,"b":[true,false]}`)},
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
			d := requireProblem(t, f.post(t, tt.path, other, "Idempotency-Key", key), http.StatusUnprocessableEntity,
				problem.IdempotencyKeyReused)
			require.Contains(t, d.Detail, "was carried out")
			require.Contains(t, d.Detail, first.header.Get("Location"))
		}
		twice := strings.Replace(tt.body, "{", `{"amount":3,"amount":3,`, 1)
		requireProblem(t, f.post(t, tt.path, twice, "Idempotency-Key", key), http.StatusBadRequest,
			problem.MalformedRequest)
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
	requireProblem(t, c.post(t, "/v1/bookings", body, "Idempotency-Key", "k"), http.StatusConflict,
		problem.SlotUnavailable)
	requireProblem(t, c.post(t, "/v1/bookings", `{}`, "Idempotency-Key", "k"), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
	requireProblem(t, c.post(t, "/v1/bookings", `{`, "Idempotency-Key", "k"), http.StatusBadRequest,
		problem.MalformedRequest)
	requireProblem(t, c.post(t, "/v1/bookings/"+uuid.NewString()+"/cancel", nil, "Idempotency-Key", "k"),
		http.StatusNotFound,
		problem.NotFound)
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
		requireProblem(t, fresh.post(t, "/v1/bookings", other, "Idempotency-Key", "k"), http.StatusUnprocessableEntity,
			problem.IdempotencyKeyReused)
	}
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM bookings"))
}

// keyless reports whether a POST takes no key: it stores nothing.
func keyless(operation string) bool {
	return slices.Contains([]string{"create-onboarding-link", "look-up-wallet", "preview-email", "quote-booking"},
		operation)
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
			r := refusal{name: name, method: s.method, path: s.path, body: body, status: http.StatusBadRequest,
				code: code}
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
		return f.raw(t, "POST /v1/resources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+f.key+
			"\r\nIdempotency-Key: a"+control+
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

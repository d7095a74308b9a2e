package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/timetable"
	"holdfast/tools/bench/strategies"
)

// replayed is how many answered requests are sent again and again.
const replayed = 500

// availabilityDays is how many days availability is asked for.
const availabilityDays = 31

// otherEntries are the scenarios in which only Holdfast takes part.
func (b *bench) otherEntries(ctx context.Context) ([]entry, error) {
	type request struct {
		order strategies.Order
		key   string
		bytes []byte
	}
	first := make([]request, replayed)
	for i := range first {
		o, key := b.anyOrder(), uuid.NewString()
		first[i] = request{o, key, b.bookingRequest(o, key+"-http")}
	}
	if err := each(len(first), func(i int) error {
		if _, err := b.fixture.Request(ctx, first[i].order, first[i].key); err != nil {
			return err
		}
		for _, s := range append([]*server{b.server}, b.others...) {
			c := client{addr: s.addr}
			err := expect(ctx, &c, first[i].bytes, http.StatusCreated)
			c.close()
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("make the bookings that are replayed: %w", err)
	}
	service := func(scenario string, op func(context.Context) error) entry {
		return entry{scenario, atService, holdfast, func(ctx context.Context) (measurement, error) {
			return b.inProcess(ctx, func(ctx context.Context, _ int) error { return op(ctx) })
		}}
	}
	through := func(scenario string, status int, request func() ([]byte, error)) entry {
		return entry{scenario, atHTTP, holdfast, func(ctx context.Context) (measurement, error) {
			return b.throughHTTP(ctx, clients, func(ctx context.Context, c *client) error {
				bytes, err := request()
				if err != nil {
					return err
				}
				return expect(ctx, c, bytes, status)
			})
		}}
	}
	return []entry{
		service(replays, func(ctx context.Context) error {
			r := first[rand.IntN(len(first))]
			resp, err := b.fixture.Request(ctx, r.order, r.key)
			if err == nil && !resp.Replayed {
				err = errors.New("a request that was sent again was not answered as before")
			}
			return err
		}),
		through(replays, http.StatusCreated, func() ([]byte, error) { return first[rand.IntN(len(first))].bytes, nil }),
		service(availability, b.askAvailability),
		through(availability, http.StatusOK, func() ([]byte, error) {
			return b.availabilityRequest(), nil
		}),
		through(lists, http.StatusOK, func() ([]byte, error) {
			s, from := b.anyDate() // it has more than a page on any database
			return get("/v1/bookings?limit=50&from="+from.String(), b.apiKeys[s.Number-1]), nil
		}),
		service(payments, b.pay),
		through(payments, http.StatusCreated, func() ([]byte, error) {
			booking, s, err := b.nextPayable()
			return post("/v1/bookings/"+booking.String()+"/payments", b.apiKeys[s.Number-1], anyKey(),
				[]byte(`{"kind":"balance","payment_method":"pm_ok"}`)), err
		}),
	}, nil
}

// availabilityRequest asks for the availability of dates on which ten of 24 hours are sold.
func (b *bench) availabilityRequest() []byte {
	return b.availabilityOf(b.anyDate())
}

// availabilityOf asks for the availability of a seller's dates from one on.
func (b *bench) availabilityOf(s *strategies.Seller, from civil.Date) []byte {
	return get("/v1/services/"+s.ID().String()+"/availability?from="+from.String()+"&to="+
		from.AddDays(availabilityDays-1).String(), b.apiKeys[s.Number-1])
}

// anyDate returns a seller and the first of some dates on which ten of its 24 hours are sold.
func (b *bench) anyDate() (*strategies.Seller, civil.Date) {
	from := civil.DateOf(b.fixture.Day(strategies.CalendarDay + rand.IntN(60)))
	return &b.fixture.Contended[rand.IntN(b.contended)], from
}

func (b *bench) askAvailability(ctx context.Context) error {
	s, from := b.anyDate()
	page, err := b.fixture.Bookings.Availability(ctx, s.Tenant, s.ID(), timetable.AvailabilityQuery{
		From: from, To: from.AddDays(availabilityDays - 1), PartySize: 1,
	})
	if err != nil {
		return err
	}
	days, wrong := 0, 0
	for d := range page.Days() {
		if days++; d.Remaining != 14 {
			wrong++
		}
	}
	if days != availabilityDays || wrong > 0 {
		return fmt.Errorf("of the availability of %d days %d are wrong", days, wrong)
	}
	return nil
}

// nextPayable returns a booking that nothing was paid for, and its seller.
func (b *bench) nextPayable() (uuid.UUID, *strategies.Seller, error) {
	n := int(b.paid.Add(1))
	if n > b.payable {
		return uuid.Nil, &b.fixture.Uncontended[0],
			errors.New("every booking is paid: there should have been more of them")
	}
	return strategies.ID(n), &b.fixture.Uncontended[n%b.uncontended], nil
}

func (b *bench) pay(ctx context.Context) error {
	booking, s, err := b.nextPayable()
	if err != nil {
		return err
	}
	r, err := idempotency.NewRequest([]string{anyKey()}, http.MethodPost, "/", nil)
	if err != nil {
		return err
	}
	resp, err := b.payments.Pay(ctx, s.ID(), r, booking, payment.PayRequest{Kind: payment.Balance, Method: "pm_ok"})
	if err == nil && resp.Answer().Status != http.StatusCreated {
		err = fmt.Errorf("a payment was answered with %d", resp.Answer().Status)
	}
	return err
}

// bookThrough makes a booking through HTTP.
func (b *bench) bookThrough(ctx context.Context, c *client, o strategies.Order) error {
	return expect(ctx, c, b.bookingRequest(o, anyKey()), http.StatusCreated, http.StatusConflict)
}

func (b *bench) bookingRequest(o strategies.Order, key string) []byte {
	return post("/v1/bookings", b.apiKeys[o.Number-1], key, []byte(`{"service_id":"`+o.ID().String()+`","starts_at":"`+
		o.Start.Format(time.RFC3339)+`","customer":{"name":"Ada Lovelace","email":"`+strategies.CustomerEmail+`"}}`))
}

// expect sends a request. It returns strategies.ErrTaken for a status that says so, strategies.ErrGaveUp when the
// server didn't work on it for now, and an error for any other status than the one expected.
func expect(ctx context.Context, c *client, request []byte, want int, taken ...int) error {
	switch status, err := c.send(ctx, request); {
	case err != nil:
		return err
	case slices.Contains(taken, status):
		return strategies.ErrTaken
	case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
		return strategies.ErrGaveUp
	case status != want:
		return fmt.Errorf("the server answered with %d", status)
	}
	return nil
}

// anyKey is an idempotency key that costs less than a UUID.
func anyKey() string {
	return strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

package check_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/tools/torture/history"
)

// randomRun is a run of n operations without a fault of the program. Answers get lost, requests are repeated, many are
// under way at a time, and the database's clock runs at any rate.
func randomRun(random *rand.Rand, n, dates int) *fixture {
	w := newFixture()
	w.rate = []int{1, 10, 3000}[random.IntN(3)]
	upTo := time.Duration(1 + random.Int64N(int64(30*time.Millisecond)))
	some := func() time.Duration { return time.Duration(random.Int64N(int64(upTo))) }
	w.before, w.after = some, some
	boat, room, hall := w.resource(1), w.resource(3), w.resource(2)
	services := []string{
		w.service("date", 0, boat), w.service("date", 0, room, hall), w.service("slot", 60, hall),
		w.service("slot", 90, boat, room),
	}
	// What is made together with others isn't changed together with them: nobody knows of it yet.
	choose := func() string {
		b := w.Bookings[len(w.Bookings)-1-random.IntN(min(len(w.Bookings), 20))]
		if b.CreatedAt.Equal(w.together) {
			w.together = time.Time{}
		}
		return b.ID
	}
	for i := range n {
		switch dice := random.IntN(30); {
		case dice == 0:
			w.together = w.now()
		case dice < 4:
			w.together = time.Time{}
		case dice == 4:
			w.sleep(some())
		}
		var op *history.Operation
		key := fmt.Sprint("key-", i)
		date := w.now().AddDate(0, 0, 1+random.IntN(dates))
		switch dice := random.IntN(22); {
		case dice < 8 || len(w.Bookings) == 0:
			// Slots of 90 minutes begin each hour.
			want := wanted{
				service: services[random.IntN(4)], date: date.Format(time.DateOnly), party: 1 + random.IntN(2),
				hold:     random.IntN(3),
				startsAt: date.Truncate(24 * time.Hour).Add(time.Duration(8+random.IntN(3)) * time.Hour),
			}
			op = w.create(key, want)
			for random.IntN(4) == 0 {
				again := w.create(key, want)
				if random.IntN(2) == 0 {
					loseAnswer(again)
				}
				op = &w.ops[len(w.ops)-1-random.IntN(2)]
			}
		case dice < 10:
			b := w.booking(choose())
			w.together = time.Time{} // what frees units is made alone
			if random.IntN(3) == 0 {
				w.ifMatch = fmt.Sprintf("%q", strconv.FormatInt(w.view(b)["version"].(int64)-int64(random.IntN(2)), 10))
			}
			want := wanted{
				service: services[random.IntN(4)], date: date.Format(time.DateOnly), party: 1 + random.IntN(2),
				hold:     1 + random.IntN(2),
				startsAt: date.Truncate(24 * time.Hour).Add(time.Duration(8+random.IntN(3)) * time.Hour),
			}
			switch random.IntN(6) {
			case 0:
				op = w.extend(key, b.ID, want.hold)
			case 1:
				op = w.amend(key, b.ID)
			case 2:
				op = w.amendAll(key, b.ID, want)
			default:
				op = w.reschedule(key, b.ID, want)
			}
			w.ifMatch = ""
		case dice < 15:
			kind := []string{"confirm", "cancel", "complete", "no-show"}[random.IntN(4)]
			id := choose()
			if kind == "cancel" {
				w.together = time.Time{} // what frees units is made alone
			}
			op = w.change(key, kind, id)
			if random.IntN(4) == 0 {
				op = w.change(key, kind, id)
			}
		case dice < 19:
			w.together = time.Time{} // nobody sees the middle of what commits together
			op = w.get(choose())
		case dice < 20:
			w.together = time.Time{}
			op = w.availability(services[random.IntN(4)], date.Format(time.DateOnly))
		case dice < 21:
			if id := choose(); w.mayPay(id, 5) {
				op = w.pay(key, id, []string{"pm_ok", "pm_declined"}[random.IntN(2)], 5)
			}
		case len(w.Payments) > 0:
			if p := w.Payments[random.IntN(len(w.Payments))]; p.RefundOf == "" && p.Status == "succeeded" &&
				w.left(p.ID) > 0 {
				op = w.refund(key, p.ID, 1)
			}
		}
		if op != nil && random.IntN(10) == 0 {
			loseAnswer(op)
		}
	}
	w.together = time.Time{}
	w.giveBack()
	return w
}

func (w *fixture) mayPay(id string, amount int64) bool {
	b := w.booking(id)
	paid := amount
	for _, p := range w.Payments {
		if p.Booking == id {
			paid += p.Amount
		}
	}
	s := w.status(b)
	return s != "expired" && s != "cancelled" && (s != "held" || w.rate == 1) && paid <= b.Price
}

func TestCheck_RunsWithoutFaults_HaveNoViolations(t *testing.T) {
	t.Parallel()
	seed := testtime.Seed(t)
	for n := range testtime.Rounds(30) {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		w := randomRun(random, 1+random.IntN(400), 1+random.IntN(4))
		require.Empty(t, w.check(), "run %d of seed %d", n, seed)
	}
}

func TestCheck_ManyOperations_AreDecided(t *testing.T) {
	t.Parallel()
	w := randomRun(rand.New(rand.NewPCG(1, 1)), 4_000, 10)
	began := testtime.Now()
	require.Empty(t, w.check())
	t.Logf("%d operations, %d bookings: %s", len(w.ops), len(w.Bookings),
		testtime.Now().Sub(began).Round(time.Millisecond))
}

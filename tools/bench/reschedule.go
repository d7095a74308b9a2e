package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"holdfast/tools/bench/strategies"
)

// rescheduleClients are the numbers of clients that rescheduling is measured with.
var rescheduleClients = []int{1, 16}

// measureReschedule measures rescheduling beside cancelling and booking anew, with each number of clients, and writes the results to out.
func (b *bench) measureReschedule(ctx context.Context, rounds int, out io.Writer) error {
	for _, n := range rescheduleClients {
		c := &turns{title: "another time for a booking", clients: n, rounds: rounds, duration: b.duration, machine: describeMachine(ctx, b.versions)}
		for _, way := range []struct {
			name string
			move func(*mover, context.Context, time.Time) error
		}{{"cancel + create", (*mover).cancelAndCreate}, {"reschedule", (*mover).reschedule}} {
			c.strategies = append(c.strategies, &turn{name: way.name, run: func(ctx context.Context) (measurement, error) {
				return b.measureMoves(ctx, n, way.move)
			}})
		}
		if err := c.measure(ctx, b.fixture.Tidy, out); err != nil {
			return err
		}
		if err := c.write(out); err != nil {
			return err
		}
	}
	return nil
}

// measureMoves measures n clients, each of which moves a booking of its own.
func (b *bench) measureMoves(ctx context.Context, n int, move func(*mover, context.Context, time.Time) error) (measurement, error) {
	connections, closeAll := b.connections(n)
	defer closeAll()
	movers := make([]*mover, n)
	for i := range movers {
		connections[i].body = new(bytes.Buffer)
		movers[i] = &mover{bench: b, client: &connections[i], seller: &b.fixture.Uncontended[rand.IntN(b.uncontended)]}
		if err := movers[i].create(ctx, b.anyTime()); err != nil {
			return measurement{}, err
		}
	}
	m := meter{postmaster: b.postmaster, process: cpuOf(b.server.PID()), other: selfCPU, logEnd: b.logEnd}
	return b.measure(ctx, n, m, func(ctx context.Context, i int) error { return move(movers[i], ctx, b.anyTime()) })
}

// anyTime is a minute of one of the dates over which bookings spread.
func (b *bench) anyTime() time.Time {
	return b.fixture.Day(rand.IntN(strategies.Days)).Add(anyMinute())
}

// mover is a client with a booking.
type mover struct {
	*bench
	client  *client
	seller  *strategies.Seller
	booking string // its id
}

// create books, and remembers the booking.
func (m *mover) create(ctx context.Context, start time.Time) error {
	if err := m.expect(ctx, m.client, m.bookingRequest(strategies.Order{Seller: m.seller, Start: start}, anyKey()), http.StatusCreated); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	return m.read(&m.booking)
}

// read reads the id of the booking in the answer.
func (m *mover) read(id *string) error {
	var body struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(m.client.body.Bytes(), &body); err != nil {
		return fmt.Errorf("read the booking: %w", err)
	}
	*id = body.ID
	return nil
}

// cancelAndCreate ends the booking and makes another one.
func (m *mover) cancelAndCreate(ctx context.Context, start time.Time) error {
	if err := m.change(ctx, "cancel", ""); err != nil {
		return err
	}
	return m.create(ctx, start)
}

// reschedule moves the booking.
func (m *mover) reschedule(ctx context.Context, start time.Time) error {
	if err := m.change(ctx, "reschedule", `{"starts_at":"`+start.Format(time.RFC3339)+`"}`); err != nil {
		return err
	}
	var id string
	if err := m.read(&id); err != nil {
		return err
	}
	if id != m.booking {
		return fmt.Errorf("rescheduling %s was answered with booking %q", m.booking, id)
	}
	return nil
}

func (m *mover) change(ctx context.Context, change, body string) error {
	request := post("/v1/bookings/"+m.booking+"/"+change, m.apiKeys[m.seller.Number-1], anyKey(), []byte(body))
	if err := m.expect(ctx, m.client, request, http.StatusOK); err != nil {
		return fmt.Errorf("%s: %w", change, err)
	}
	return nil
}

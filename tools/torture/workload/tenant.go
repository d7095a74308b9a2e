package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"holdfast/internal/timezone"
	"holdfast/tools/torture/history"
)

// remembered bounds how many bookings of a tenant clients choose from: old ones are forgotten, so that clients meet.
const remembered = 40

// windowDates is how many dates of a service are sold at a time, and windowStep how long until the first of them leaves
// the window and another date enters: conflicts are frequent, and no date has so many operations that its history can't
// be checked.
const (
	windowDates = 4
	windowStep  = 4 * time.Second
)

// slotStep is how many minutes there are between two slots that clients want.
const slotStep = 30

// Tenant is a tenant of the run and what clients know of it.
type Tenant struct {
	// ID and APIKey are the tenant's. WebsiteKey is the publishable key of its website.
	ID, APIKey, WebsiteKey string
	// Location is the time zone in which its dates lie.
	Location *time.Location
	// Services are what it sells. Shaped are those of them whose bookings take something else than units of one
	// resource.
	Services, Shaped []Service
	// Wallets are gift cards, empty at first.
	Wallets []*Wallet

	mu       sync.Mutex
	bookings []*Booking
}

// Service is what a tenant sells.
type Service struct {
	ID string
	// Slot says that it is sold by the slot and not by the date, Soon that it is sold for today (dates) or the next
	// minutes (slots), so that its bookings can be completed within the run.
	Slot, Soon bool
	// Stay says that it is sold by the night.
	Stay     bool
	Capacity int
	Price    int64
	// Resources are the ids of those that serve it, Skippers those of whom each booking, or session, needs one as well.
	Resources, Skippers []string
}

// Booking is what clients know of a booking.
type Booking struct {
	ID string
	// Status, Service and StartsAt are those of when it was made.
	Status, Service string
	StartsAt        time.Time
	// Price is that of when it was made, in minor units.
	Price int64
	// anonymous says that it was made without a customer.
	anonymous bool

	mu       sync.Mutex
	version  int64 // the highest that an answer showed
	payments []string
	waiting  string // a payment that waits for its customer
}

// learnVersion notes the version that an answer shows.
func (b *Booking) learnVersion(a Answer) {
	var shown struct{ Version int64 }
	if a.Outcome != history.Done || json.Unmarshal(a.Body, &shown) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.version = max(b.version, shown.Version)
}

// match returns the entity tag for a change of the booking: mostly none, else that of the latest version that clients
// know, and now and then that of the version before it.
func (b *Booking) match(random *rand.Rand) string {
	const of, latest, stale = 10, 3, 1
	b.mu.Lock()
	defer b.mu.Unlock()
	switch dice := random.IntN(of); {
	case dice < latest:
		return fmt.Sprintf("%q", strconv.FormatInt(b.version, 10))
	case dice < latest+stale:
		return fmt.Sprintf("%q", strconv.FormatInt(b.version-1, 10))
	}
	return ""
}

// SetWaiting notes a payment that waits for its customer.
func (b *Booking) SetWaiting(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = id
}

// Waiting returns the newest payment that waited for its customer, "" if there was none.
func (b *Booking) Waiting() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// AddPayment notes a payment that succeeded.
func (b *Booking) AddPayment(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.payments, id) {
		b.payments = append(b.payments, id)
	}
}

func (b *Booking) paid() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.payments) > 0
}

// Payment returns one of the payments that succeeded, "" if there is none.
func (b *Booking) Payment(random *rand.Rand) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.payments) == 0 {
		return ""
	}
	return b.payments[random.IntN(len(b.payments))]
}

// Remember adds a booking to those that all clients choose from.
func (t *Tenant) Remember(b *Booking) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.bookings, func(other *Booking) bool { return other.ID == b.ID }) {
		return
	}
	t.bookings = append(t.bookings, b)
	if surplus := len(t.bookings) - remembered; surplus > 0 {
		t.bookings = slices.Delete(t.bookings, 0, surplus)
	}
}

// Booking returns one of the bookings that clients know, young ones more often, and mostly one that suits; nil if there
// is none.
func (t *Tenant) Booking(random *rand.Rand, suits func(*Booking) bool) (b *Booking) {
	const tries = 8
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.bookings)
	if n == 0 {
		return nil
	}
	for range tries {
		if b = t.bookings[n-1-min(random.IntN(n), random.IntN(n))]; suits(b) {
			break
		}
	}
	return b
}

// anyService returns one of the services; in one of four cases one that is shaped, or always with only.
func (t *Tenant) anyService(random *rand.Rand, only bool) Service {
	of := t.Services[:len(t.Services)-len(t.Shaped)]
	if only || oneInFour(random) {
		of = t.Shaped
	}
	return of[random.IntN(len(of))]
}

// service returns the service with an id.
func (t *Tenant) service(id string) Service {
	return t.Services[slices.IndexFunc(t.Services, func(s Service) bool { return s.ID == id })]
}

func anyBooking(*Booking) bool { return true }

// newTenants makes the run's tenants through a server that isn't harmed yet.
func newTenants(ctx context.Context, cfg Config) ([]*Tenant, error) {
	m := maker{client: &http.Client{Timeout: answerLimit, Transport: transport()}, server: cfg.Servers[0]}
	var tenants []*Tenant
	for i, zone := range []string{"Europe/Berlin", "America/New_York", "UTC"} {
		location, err := timezone.Load(zone)
		if err != nil {
			return nil, fmt.Errorf("load a time zone: %w", err)
		}
		var made struct {
			ID     string
			APIKey string `json:"api_key"`
		}
		slug := fmt.Sprintf("torture-%d-%d", cfg.Seed, i)
		request := Request{Method: http.MethodPost, Path: "/admin/v1/tenants", Body: map[string]any{
			"slug": slug, "name": slug, "time_zone": zone, "currency": "EUR",
		}}
		if len(cfg.Cells) > 0 {
			request.Cell = cfg.Cells[i%len(cfg.Cells)]
		}
		if err := m.send(ctx, &made, cfg.AdminKey, request); err != nil {
			return nil, err
		}
		t := &Tenant{ID: made.ID, APIKey: made.APIKey, Location: location}
		if err := m.stock(ctx, t); err != nil {
			return nil, err
		}
		if err := m.publish(ctx, t); err != nil {
			return nil, err
		}
		if cfg.Receiver != nil {
			if err := m.subscribe(ctx, t, cfg.Receiver); err != nil {
				return nil, err
			}
		}
		for range walletsEach {
			w := new(Wallet)
			if err := m.make(ctx, w, t.APIKey, "/v1/wallets", map[string]any{"currency": "EUR"}); err != nil {
				return nil, err
			}
			t.Wallets = append(t.Wallets, w)
		}
		tenants = append(tenants, t)
	}
	return tenants, nil
}

// maker makes what a run begins with.
type maker struct {
	client *http.Client
	server string
	made   int
}

func (m *maker) make(ctx context.Context, into any, apiKey, path string, body map[string]any) error {
	return m.send(ctx, into, apiKey, Request{Method: http.MethodPost, Path: path, Body: body})
}

// send repeats a request that has no outcome yet: a slow standby, which commits wait for, is no failure.
func (m *maker) send(ctx context.Context, into any, apiKey string, r Request) error {
	m.made++
	key := fmt.Sprintf("setup-%d", m.made)
	for {
		a, err := send(ctx, m.client, m.server, apiKey, key, r)
		switch {
		case err != nil:
			return fmt.Errorf("set the run up: %s: %w", r.Path, err)
		case a.Status == http.StatusServiceUnavailable && ctx.Err() == nil:
			time.Sleep(setupPause)
		case a.Status != http.StatusCreated:
			return fmt.Errorf("set the run up: %s: %d %s", r.Path, a.Status, a.Body)
		default:
			return json.Unmarshal(a.Body, into)
		}
	}
}

// setupPause is before a request of the set-up is repeated.
const setupPause = 200 * time.Millisecond

// publish gives a tenant's website its key.
func (m *maker) publish(ctx context.Context, t *Tenant) error {
	var made struct {
		APIKey string `json:"api_key"`
	}
	err := m.make(ctx, &made, t.APIKey, "/v1/api-keys",
		map[string]any{"name": "Website", "scopes": []string{"catalog", "hold"}})
	t.WebsiteKey = made.APIKey
	return err
}

// subscribe has a tenant's events delivered to a receiver.
func (m *maker) subscribe(ctx context.Context, t *Tenant, receiver Receiver) error {
	var made struct{ Secret string }
	if err := m.make(ctx, &made, t.APIKey, "/v1/webhook-endpoints",
		map[string]any{"url": receiver.URL(t.ID), "types": []string{"*"}}); err != nil {
		return err
	}
	return receiver.Trust(t.ID, made.Secret)
}

// stock gives a tenant its resources and services, the shaped ones last. Two services share the boats, so that whole
// dates compete with slots. Bookings of the desk begin within two minutes and have a reminder a minute before: they are
// moved and cancelled until it is due.
func (m *maker) stock(ctx context.Context, t *Tenant) error {
	resource := func(name string, capacity int) (string, error) {
		var made struct{ ID string }
		err := m.make(ctx, &made, t.APIKey, "/v1/resources", map[string]any{"name": name, "capacity": capacity})
		return made.ID, err
	}
	ids := map[string]string{}
	for _, r := range []struct {
		name     string
		capacity int
	}{{"house", 1}, {"hall", 10}, {"room", 1}, {"other room", 1}, {"boats", 10}, {"desk", 10}, {"lounge", 10},
		{"cutter", 6}, {"sloop", 6}, {"Ada", 1}, {"Ben", 1}, {"table", 2},
		{"other table", 3}, {"bedroom", 1}, {"other bedroom", 1}} {
		id, err := resource(r.name, r.capacity)
		if err != nil {
			return err
		}
		ids[r.name] = id
	}
	for _, s := range []struct {
		Service
		resources        []string
		duration, buffer int
		reminder         int // minutes before the start, 0 for none
		occupies         string
		skippers         []string
		join             bool
	}{
		{Service: Service{Capacity: 1, Price: 250_000}, resources: []string{"house"}},
		{Service: Service{Capacity: 10, Price: 4_500}, resources: []string{"hall"}},
		{Service: Service{Capacity: 10, Price: 90_000}, resources: []string{"boats"}},
		{Service: Service{Capacity: 1, Price: 6_000, Slot: true}, resources: []string{"room", "other room"},
			duration: 60, buffer: 15},
		{Service: Service{Capacity: 10, Price: 2_000, Slot: true}, resources: []string{"boats"}, duration: 60},
		{Service: Service{Capacity: 10, Price: 800, Slot: true, Soon: true}, resources: []string{"desk"}, duration: 1,
			reminder: 1},
		{Service: Service{Capacity: 10, Price: 3_000, Soon: true}, resources: []string{"lounge"}},
		{Service: Service{Capacity: 6, Price: 1_500, Slot: true}, resources: []string{"cutter", "sloop"}, duration: 60,
			buffer:   15,
			occupies: "session", skippers: []string{"Ada", "Ben"}},
		{Service: Service{Capacity: 6, Price: 40_000, Slot: true}, resources: []string{"sloop", "cutter"}, duration: 90,
			occupies: "whole", skippers: []string{"Ben", "Ada"}},
		{Service: Service{Capacity: 10, Price: 2_500, Slot: true}, resources: []string{"table", "other table"},
			duration: 60,
			occupies: "whole", join: true},
		{Service: Service{Capacity: 1, Price: 9_000, Stay: true}, resources: []string{"bedroom", "other bedroom"},
			occupies: "units"},
	} {
		body := map[string]any{
			"name": s.resources[0], "kind": "date", "booking_window_days": 3650, "price": s.Price,
			"deposit": s.Price / 5,
		}
		named := func(names []string) (list []string) {
			for _, name := range names {
				list = append(list, ids[name])
			}
			return list
		}
		names, skippers := named(s.resources), named(s.skippers)
		if s.occupies == "" {
			body["resource_ids"] = names
		} else {
			needs := []any{map[string]any{"resource_ids": names, "join": s.join, "choose": "in_turn"}}
			if len(skippers) > 0 {
				needs = append(needs, map[string]any{"resource_ids": skippers, "choose": "least_booked"})
			}
			body["occupies"], body["needs"] = s.occupies, needs
		}
		if s.Slot {
			body["kind"], body["duration_minutes"], body["slot_interval_minutes"] = "slot", s.duration,
				max(1, min(s.duration/2, slotStep))
			body["buffer_after_minutes"] = s.buffer
		}
		if s.Stay {
			body["kind"], body["check_in"], body["check_out"], body["buffer_after_days"] = "stay", "15:00", "10:00", 1
		}
		if s.reminder > 0 {
			body["reminders"] = []any{map[string]any{"before_minutes": s.reminder}}
		}
		var made struct{ ID string }
		if err := m.make(ctx, &made, t.APIKey, "/v1/services", body); err != nil {
			return err
		}
		s.Service.ID, s.Service.Resources, s.Service.Skippers = made.ID, names, skippers
		t.Services = append(t.Services, s.Service)
		if s.occupies != "" {
			t.Shaped = append(t.Shaped, s.Service)
		}
	}
	return nil
}

// setWhen sets a time at which the service is to be booked in a request's body. elapsed is the run's time.
func (s Service) setWhen(body map[string]any, random *rand.Rand, location *time.Location, elapsed time.Duration) {
	field, value := s.when(random, location, elapsed)
	body[field] = value
	if !s.Stay {
		return
	}
	if arrival, err := time.Parse(time.DateOnly, value); err == nil {
		body["check_out"] = arrival.AddDate(0, 0, 1+random.IntN(3)).Format(time.DateOnly)
	}
}

// when returns a time at which the service is to be booked, in the words of the API. elapsed is the run's time.
func (s Service) when(random *rand.Rand, location *time.Location, elapsed time.Duration) (field, value string) {
	now := time.Now().In(location)
	day := now.AddDate(0, 0, 30+int(elapsed/windowStep)+random.IntN(windowDates))
	switch {
	case s.Slot && s.Soon:
		return "starts_at", now.Truncate(time.Minute).Add(time.Duration(1+
			random.IntN(2)) * time.Minute).Format(time.RFC3339)
	case s.Slot:
		at := time.Date(day.Year(), day.Month(), day.Day(), 10, slotStep*random.IntN(6), 0, 0, location)
		return "starts_at", at.Format(time.RFC3339)
	case s.Soon:
		return "date", now.Format(time.DateOnly)
	case s.Stay:
		return "check_in", day.Format(time.DateOnly)
	}
	return "date", day.Format(time.DateOnly)
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"holdfast/tools/bench/strategies"
)

const (
	cellsAdminKey = "the-admin-key-of-the-benchmark"
	// cellConns bounds the connections of a server to each database: all of a cluster's cells together stay below its
	// limit.
	cellConns = 16
	// bookableDates is over how many dates bookings are spread.
	bookableDates = 300
)

// bookable is a tenant with a service of which there is always something left.
type bookable struct{ apiKey, service string }

// cellBench is everything that runs while cells are measured.
type cellBench struct {
	size     cellsSize
	duration time.Duration
	out      io.Writer

	dir       string
	clusters  []*database
	one, many *server      // of one database, and of all cells
	alone     []bookable   // the tenants of the one database
	cells     [][]bookable // those of each cell; cell i is in cluster i modulo their number
	http      *http.Client
}

// startCells starts the clusters and the servers, and makes the tenants. What was started is ended by stop, also after
// an error.
func startCells(ctx context.Context, size cellsSize, duration time.Duration, out io.Writer) (b *cellBench, err error) {
	b = &cellBench{size: size, duration: duration, out: out, http: &http.Client{Timeout: answerLimit}}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	if b.dir, err = newDir(); err != nil {
		return b, err
	}
	_, _ = fmt.Fprintln(out, "starting the databases")
	b.clusters = make([]*database, size.clusters)
	for i := range b.clusters {
		if err := b.startCluster(ctx, i); err != nil {
			return b, err
		}
	}
	binary, err := buildToday(ctx, b.dir)
	if err != nil {
		return b, err
	}
	if err := b.startServers(ctx, binary); err != nil {
		return b, err
	}
	_, _ = fmt.Fprintln(out, "making the tenants")
	if err := b.makeTenants(ctx); err != nil {
		return b, err
	}
	return b, nil
}

// startCluster starts a cluster, for the first time or again. Its URL stays the same.
func (b *cellBench) startCluster(ctx context.Context, number int) (err error) {
	d := b.clusters[number]
	if d == nil {
		d = &database{dir: filepath.Join(b.dir, fmt.Sprintf("c%d", number))}
		b.clusters[number] = d
	} else {
		_ = d.conn.Close(ctx)
	}
	if d.server, err = startPostgres(ctx, d.dir, map[string]string{
		"max_connections": "200", "shared_buffers": "64MB", "autovacuum": "off", "checkpoint_timeout": "1h",
		"max_wal_size": "4GB",
	}); err != nil {
		return err
	}
	return d.connect(ctx, d.server.URL())
}

// startServers makes a database for each cell, and one that is alone on the first cluster.
func (b *cellBench) startServers(ctx context.Context, binary string) error {
	type cell struct {
		Name  string `json:"name"`
		URL   string `json:"database_url"`
		Conns int    `json:"database_conns"`
	}
	cells := make([]cell, b.size.cells)
	for i := range cells {
		name := fmt.Sprintf("cell%d", i)
		address, err := b.clusters[i%b.size.clusters].create(ctx, name)
		if err != nil {
			return err
		}
		cells[i] = cell{name, address, cellConns}
	}
	alone, err := b.clusters[0].create(ctx, "alone")
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"cells": cells})
	if err != nil {
		return fmt.Errorf("encode the cells: %w", err)
	}
	file := filepath.Join(b.dir, "cells.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("write the cells: %w", err)
	}
	start := func(name, databaseURL string, settings ...string) (*server, error) {
		dir := filepath.Join(b.dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory: %w", err)
		}
		return startServer(ctx, dir, binary, databaseURL, append(settings, "HOLDFAST_ADMIN_KEY="+cellsAdminKey,
			fmt.Sprintf("HOLDFAST_DATABASE_CONNS=%d", cellConns))...)
	}
	if b.one, err = start("one", alone); err != nil {
		return err
	}
	if b.many, err = start("many", "", "HOLDFAST_CELLS="+file); err != nil {
		return err
	}
	return b.ready(ctx)
}

// ready waits until the server of all cells serves each of them.
func (b *cellBench) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		var state struct{ Warning string }
		status, err := b.ask(ctx, http.MethodGet, b.many, "/readyz", nil, nil, &state)
		if err == nil && status == http.StatusOK && state.Warning == "" {
			return nil
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("wait until all cells serve: %w: %s", err, state.Warning)
		}
	}
}

// makeTenants makes the tenants of the cells, and as many in the one database as each cell has.
func (b *cellBench) makeTenants(ctx context.Context) error {
	b.cells = make([][]bookable, b.size.cells)
	for i := range b.cells {
		b.cells[i] = make([]bookable, (b.size.tenants+i)/b.size.cells)
	}
	b.alone = make([]bookable, len(b.cells[0]))
	fill := func(s *server, cell string, tenants []bookable) error {
		return each(len(tenants), func(n int) (err error) {
			tenants[n], err = b.makeTenant(ctx, s, cell, n)
			return err
		})
	}
	if err := fill(b.one, "", b.alone); err != nil {
		return err
	}
	for i, tenants := range b.cells {
		if err := fill(b.many, fmt.Sprintf("cell%d", i), tenants); err != nil {
			return err
		}
	}
	for _, c := range b.clusters {
		if err := c.exec(ctx, "CHECKPOINT"); err != nil {
			return err
		}
	}
	return nil
}

// makeTenant makes a tenant and what it sells. An empty cell names none.
func (b *cellBench) makeTenant(ctx context.Context, s *server, cell string, n int) (made bookable, err error) {
	slug := fmt.Sprintf("tenant-%s-%d", cell, n)
	create := func(path, key string, body map[string]any, into any) error {
		headers := map[string]string{"Authorization": "Bearer " + key, "Idempotency-Key": slug + path}
		if cell != "" && key == cellsAdminKey {
			headers["Holdfast-Cell"] = cell
		}
		status, err := b.ask(ctx, http.MethodPost, s, path, headers, body, into)
		if err == nil && status != http.StatusCreated {
			err = fmt.Errorf("%s of tenant %s got %d", path, slug, status)
		}
		return err
	}
	var tenant struct {
		APIKey string `json:"api_key"`
	}
	var resource, service struct{ ID string }
	if err := create("/admin/v1/tenants", cellsAdminKey, map[string]any{
		"slug": slug, "name": slug, "time_zone": "UTC", "currency": "EUR",
	}, &tenant); err != nil {
		return made, err
	}
	if err := create("/v1/resources", tenant.APIKey, map[string]any{"name": "Hall", "capacity": 1},
		&resource); err != nil {
		return made, err
	}
	err = create("/v1/services", tenant.APIKey, map[string]any{
		"name": "Minute", "kind": "slot", "duration_minutes": 1, "slot_interval_minutes": 1,
		"booking_window_days": 3650, "price": 1000,
		"resource_ids": []string{resource.ID},
	}, &service)
	return bookable{tenant.APIKey, service.ID}, err
}

// ask sends a request and decodes the answer.
func (b *cellBench) ask(ctx context.Context, method string, s *server, path string, headers map[string]string, body,
	into any) (
	status int, err error,
) {
	content := io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, fmt.Errorf("encode a request: %w", err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method,
		(&url.URL{Scheme: "http", Host: s.addr, Path: path}).String(), content)
	if err != nil {
		return 0, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := b.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode, json.NewDecoder(response.Body).Decode(into)
}

// load books minutes of random dates of random tenants.
func (b *cellBench) load(ctx context.Context, s *server, tenants []bookable, clients int, pause, window time.Duration) (
	strategies.Result, error,
) {
	return b.drive(ctx, s, tenants, clients, pause, window, http.StatusCreated)
}

// drive sends bookings of which each has to be answered with a status, or with 409.
func (b *cellBench) drive(ctx context.Context, s *server, tenants []bookable, clients int, pause, window time.Duration,
	want int) (
	strategies.Result, error,
) {
	connections := make([]client, clients)
	for i := range connections {
		connections[i].addr = s.addr
	}
	defer func() {
		for i := range connections {
			connections[i].close()
		}
	}()
	today := time.Now().UTC().Truncate(24 * time.Hour)
	return strategies.Load{Clients: clients, WarmUp: warmUp(window), Window: window, Pause: pause}.Drive(ctx,
		func(ctx context.Context, i int) error {
			t := tenants[rand.IntN(len(tenants))]
			at := today.AddDate(0, 0, 1+rand.IntN(bookableDates)).Add(anyMinute())
			request := post("/v1/bookings", t.apiKey, anyKey(), fmt.Appendf(nil,
				`{"service_id":%q,"starts_at":%q,"customer":{"name":"Ada Lovelace","email":%q}}`, t.service,
				at.Format(time.RFC3339),
				strategies.CustomerEmail))
			if want == http.StatusServiceUnavailable {
				return expectUnavailable(ctx, &connections[i], request)
			}
			return expect(ctx, &connections[i], request, want, http.StatusConflict)
		})
}

// expectUnavailable sends a request that has to be answered with 503.
func expectUnavailable(ctx context.Context, c *client, request []byte) error {
	status, err := c.send(ctx, request)
	if err == nil && status != http.StatusServiceUnavailable {
		err = fmt.Errorf("the server answered with %d for a cell that is down", status)
	}
	return err
}

func flat(cells [][]bookable) []bookable { return slices.Concat(cells...) }

// stop ends everything that startCells has started.
func (b *cellBench) stop() {
	for _, s := range []*server{b.one, b.many} {
		if s != nil {
			_ = s.Stop(startLimit)
		}
	}
	for _, c := range b.clusters {
		if c != nil {
			c.stop()
		}
	}
	if b.dir != "" {
		_ = os.RemoveAll(b.dir)
	}
}

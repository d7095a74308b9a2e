package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/civil"
	"golang.org/x/sync/errgroup"

	"holdfast/tools/bench/strategies"
)

const (
	// pageVisitors look at the booking page at once.
	pageVisitors = 50
	// crowdOver is over how many connections a crowd of visitors comes.
	crowdOver = 256
	// soldOutDay is a day of a contended seller that is sold out before a crowd comes.
	soldOutDay = 2150
)

// visitors measures the booking page beside the API, and what a tenant notices of a crowd that wants a sold-out date of
// another tenant. It has a server without limits for one visitor: the whole crowd has one address.
func (b *bench) visitors(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp(b.dir, "visitors") // the output of each round's server is its own
	if err != nil {
		return nil, err
	}
	s, err := startServer(ctx, dir, b.binary, b.database.url, "HOLDFAST_VISITOR_RATE=0", "HOLDFAST_VISITOR_HOLDS=0")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Stop(startLimit) }()
	seller := &b.fixture.Contended[0]
	page, err := b.openPage(ctx, s, seller)
	if err != nil {
		return nil, err
	}
	day := b.fixture.Day(strategies.CalendarDay + availabilityDays)
	first := civil.Date{Year: day.Year(), Month: day.Month(), Day: 1}
	ofAPI, ofPage := b.availabilityOf(seller, first), get(page+"?month="+first.String()[:len("2006-01")], "")
	var took [2]strategies.Result
	for i, request := range [][]byte{ofAPI, ofPage} {
		if took[i], err = b.ask(ctx, s, request); err != nil {
			return nil, err
		}
	}
	api, shown := took[0].Quantile(0.95).Seconds()*1000, took[1].Quantile(0.95).Seconds()*1000
	figures := []figure{
		{fmt.Sprintf("p95 of a month's availability through the API, with %d clients, ms", pageVisitors), "%.1f", api},
		{fmt.Sprintf("p95 of the booking page of this month, with %d visitors, ms", pageVisitors), "%.1f", shown},
		{"p95 of the page, of that of the API", "%.2f", shown / api},
	}
	more, err := b.crowd(ctx, s)
	return append(figures, more...), err
}

// ask has visitors send a request again and again.
func (b *bench) ask(ctx context.Context, s *server, request []byte) (strategies.Result, error) {
	connections, closeAll := connectionsTo(s, pageVisitors)
	defer closeAll()
	return strategies.Load{Clients: pageVisitors, WarmUp: b.duration / 3, Window: b.duration}.Drive(ctx,
		func(ctx context.Context, i int) error { return expect(ctx, &connections[i], request, http.StatusOK) })
}

// crowd has many visitors, one after the other on each connection, open a date that is sold out and try to hold an hour
// of it, while a neighbour books.
func (b *bench) crowd(ctx context.Context, s *server) ([]figure, error) {
	seller := &b.fixture.Contended[0]
	page, err := b.openPage(ctx, s, seller)
	if err != nil {
		return nil, err
	}
	start := b.fixture.Day(soldOutDay)
	c := client{addr: s.addr}
	defer c.close()
	for hour := range 24 {
		order := strategies.Order{Seller: seller, Start: start.Add(time.Duration(hour) * time.Hour)}
		if err := b.bookThrough(ctx, &c, order); err != nil && err != strategies.ErrTaken { //nolint:errorlint // it is returned as it is
			return nil, err
		}
	}
	date := start.Format(time.DateOnly)
	look := get(page+"?date="+date, "")
	hold := func(visitor int) []byte {
		form := url.Values{"key": {"visitor-of-the-crowd-" + strconv.Itoa(visitor) + anyKey()}, "date": {date},
			"party":     {"1"},
			"starts_at": {start.Add(time.Duration(visitor%24) * time.Hour).Format(time.RFC3339)}}.Encode()
		return fmt.Appendf(nil,
			"POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
				"Content-Length: %d\r\n\r\n%s", page, len(form), form)
	}
	quiet, err := b.neighbourWhile(ctx, s, func(ctx context.Context) error {
		<-time.After(2 * b.duration)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	began, refused := time.Now(), 0
	var mu sync.Mutex
	crowded, err := b.neighbourWhile(ctx, s, func(ctx context.Context) error {
		var all errgroup.Group
		for i := range crowdOver {
			all.Go(func() error {
				c := client{addr: s.addr}
				defer c.close()
				for visitor := i; visitor < b.crowdSize && ctx.Err() == nil; visitor += crowdOver {
					for _, request := range [][]byte{look, hold(visitor)} {
						status, err := c.send(ctx, request)
						switch {
						case err != nil:
							return err
						case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
							mu.Lock()
							refused++
							mu.Unlock()
						// A server leads to the page that says that the date is sold out; earlier ones answered with
						// it.
						case status != http.StatusOK && status != http.StatusSeeOther && status != http.StatusConflict:
							return fmt.Errorf("the server answered a visitor with %d", status)
						}
					}
				}
				return nil
			})
		}
		return all.Wait()
	})
	if err != nil {
		return nil, err
	}
	before, meanwhile := quiet.Quantile(0.99).Seconds()*1000, crowded.Quantile(0.99).Seconds()*1000
	return []figure{
		{"p99 of the neighbour without the crowd, ms", "%.1f", before},
		{fmt.Sprintf("p99 of the neighbour with %d visitors on a sold-out date, ms", b.crowdSize), "%.1f", meanwhile},
		{"p99 of the neighbour: with the crowd, of that without", "%.2f", meanwhile / before},
		{"visitors/s", "%.0f", float64(b.crowdSize) / time.Since(began).Seconds()},
		{"share of the crowd's requests that were refused for now", "%.2f", float64(refused) / float64(2*b.crowdSize)},
		{"the neighbour's requests that were refused for now", "%.0f", float64(crowded.GaveUp)},
	}, nil
}

// neighbourWhile has the neighbour book until something is done, and returns what its bookings took.
func (b *bench) neighbourWhile(ctx context.Context, s *server, something func(context.Context) error,
) (strategies.Result, error) {
	var mu sync.Mutex
	var result strategies.Result
	var took []time.Duration
	done := make(chan struct{})
	var all errgroup.Group
	for range neighbourClients {
		all.Go(func() error {
			c := client{addr: s.addr}
			defer c.close()
			for {
				select {
				case <-done:
					return nil
				case <-time.After(neighbourPause):
				}
				began := time.Now()
				err := b.bookThrough(ctx, &c, b.neighbourOrder())
				mu.Lock()
				if err == nil {
					took = append(took, time.Since(began))
				} else {
					result.GaveUp++
				}
				mu.Unlock()
			}
		})
	}
	err := something(ctx)
	close(done)
	_ = all.Wait() // no client returns an error
	result.Latencies = slices.Sorted(slices.Values(took))
	return result, err
}

// openPage gives a seller a booking page, and returns the path of its service there.
func (b *bench) openPage(ctx context.Context, s *server, seller *strategies.Seller) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, "http://"+s.addr+"/v1/tenant",
		bytes.NewReader([]byte(`{"booking_page":{"enabled":true}}`)))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+b.apiKeys[seller.Number-1])
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	var tenant struct{ Slug string }
	if err := json.NewDecoder(answer.Body).Decode(&tenant); err != nil || answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("open a booking page: %s: %w", answer.Status, err)
	}
	return "/book/" + tenant.Slug + "/" + seller.ID().String(), nil
}

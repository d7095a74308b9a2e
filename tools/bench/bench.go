package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/servertest"
	"holdfast/internal/tenant"
	"holdfast/tools/bench/strategies"
)

// clients is how many clients each strategy has, unless a scenario says otherwise.
const clients = 32

// payableRate is for how many payments per second there are bookings.
const payableRate = 1000

// payableFor returns how many bookings payments need that are measured so often, four times each.
func payableFor(rounds int, duration time.Duration) int {
	return int(float64(4*rounds) * (warmUp(duration) + duration + time.Second).Seconds() * payableRate)
}

// warmUp is for how long each strategy runs before its window of this duration begins.
func warmUp(duration time.Duration) time.Duration { return min(duration/3, 5*time.Second) }

// buildToday builds today's server in a directory and returns the program's path. The tests share one program.
var buildToday = func(ctx context.Context, dir string) (string, error) { return servertest.Build(ctx, dir) }

// buildCommit builds the server of a commit in a directory and returns the program's path.
var buildCommit = func(ctx context.Context, dir, commit string) (string, error) {
	return servertest.BuildCommit(ctx, dir, commit)
}

// size is how much there is to measure on.
type size struct {
	uncontended, contended, bookings int
	// overloadOver is over how many connections the server is overloaded, and overloadFor how long.
	overloadOver int
	overloadFor  time.Duration
	// crowdSize is how many visitors want a date that is sold out.
	crowdSize int
	// warmRound runs every strategy for a while before the first round.
	warmRound bool
}

var fullSize = size{
	uncontended:  1000,
	contended:    20,
	bookings:     100,
	overloadOver: 2000,
	overloadFor:  12 * time.Second,
	crowdSize:    10_000,
	warmRound:    true,
}

// bench is everything that runs while something is measured.
type bench struct {
	size
	duration time.Duration
	out      io.Writer

	dir      string
	database *database
	fixture  *strategies.Fixture
	redis    *redisServer
	binary   string // the server's
	server   *server
	others   []*server // that are measured in turns with it
	sandbox  *sandbox.Server
	payments *payment.Service
	apiKeys  []string // of the uncontended sellers, then of the contended ones

	hotDays  atomic.Int64 // that were taken
	attempts atomic.Int64 // at contended slots
	paid     atomic.Int64 // payable bookings that were taken
	payable  int
}

// start starts everything, on a database with so many bookings to be paid. What was started is ended by stop, also
// after an error.
func start(ctx context.Context, duration time.Duration, payable int, s size, out io.Writer) (b *bench, err error) {
	b = &bench{size: s, duration: duration, payable: payable, out: out}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	if b.dir, err = newDir(); err != nil {
		return b, err
	}
	// Durable as Holdfast's own, with room for all pools; what happens now and then happens between the rounds.
	if b.database, err = startDatabase(ctx, map[string]string{
		"max_connections": "200", "autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "16GB",
	}); err != nil {
		return b, err
	}
	b.say("filling the database")
	if err := b.fill(ctx); err != nil {
		return b, err
	}
	if b.redis, err = startRedis(ctx, b.dir, clients); err != nil {
		return b, err
	}
	if err := b.startPayments(); err != nil {
		return b, err
	}
	b.say("starting the server")
	if b.binary, err = buildToday(ctx, b.dir); err != nil {
		return b, err
	}
	if b.server, err = startServer(ctx, b.dir, b.binary, b.database.url); err != nil {
		return b, err
	}
	b.say("warming up")
	err = b.warm(ctx)
	return b, err
}

func (b *bench) say(text string) { _, _ = fmt.Fprintln(b.out, text) }

// fill fills an empty database and gives every seller an API key.
func (b *bench) fill(ctx context.Context) (err error) {
	if b.fixture, err = strategies.New(ctx, strategies.Config{
		URL: b.database.url, Conns: clients, Uncontended: b.uncontended, Contended: b.contended, Bookings: b.bookings,
		Payable: b.payable,
	}); err != nil {
		return err
	}
	return b.issueKeys(ctx)
}

// issueKeys gives every seller an API key.
func (b *bench) issueKeys(ctx context.Context) error {
	b.apiKeys = make([]string, b.uncontended+b.contended)
	return each(len(b.apiKeys), func(n int) error {
		r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
		if err != nil {
			return err
		}
		resp, err := b.fixture.Tenants.IssueKey(ctx, r, strategies.ID(n+1),
			tenant.IssueRequest{Scopes: tenant.AllScopes()})
		if err != nil {
			return err
		}
		var made tenant.NewAPIKeyBody
		err = json.Unmarshal(resp.Body, &made)
		b.apiKeys[n] = made.APIKey
		return err
	})
}

// startPayments makes payments in this process as the server makes them in its own, with a sandbox whose journal is on
// disk.
func (b *bench) startPayments() (err error) {
	const key, secret = "sk_bench", "whsec_bench"
	b.sandbox, err = sandbox.Start(sandbox.Config{File: filepath.Join(b.dir, "sandbox"), Key: key,
		WebhookSecret: secret})
	if err != nil {
		return err
	}
	b.payments = payment.NewService(b.fixture.Store, payment.Config{
		Provider: sandbox.NewClient(sandbox.ClientConfig{URL: b.sandbox.URL(), Key: key, WebhookSecret: secret}),
	})
	return nil
}

// warm makes a booking of every seller in this process and in the server, so that both know their rules and keys. Then
// what is kept of plans is made anew.
func (b *bench) warm(ctx context.Context) error {
	inProcess := b.fixture.Holdfast().Book
	through := func(ctx context.Context, o strategies.Order) error {
		c := client{addr: b.server.addr}
		defer c.close()
		return b.bookThrough(ctx, &c, o)
	}
	if err := each(b.uncontended+b.contended, func(n int) error {
		for hour, book := range []func(context.Context, strategies.Order) error{inProcess, through} {
			o := strategies.Order{Seller: b.seller(n),
				Start: b.fixture.Day(warmDay).Add(time.Duration(hour) * time.Hour)}
			// A server that has just started on a busy machine may answer 503 at first.
			if err := book(ctx, o); err != nil && !errors.Is(err, strategies.ErrGaveUp) {
				return fmt.Errorf("warm up: %w", err)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return b.database.tidy(ctx)
}

// seller returns the n-th of all sellers, whose API key has the same number.
func (b *bench) seller(n int) *strategies.Seller {
	if n < b.uncontended {
		return &b.fixture.Uncontended[n]
	}
	return &b.fixture.Contended[n-b.uncontended]
}

// each calls do with the numbers below n, several at once, and returns the first error.
func each(n int, do func(int) error) error {
	var all errgroup.Group
	all.SetLimit(16)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}

// stop ends everything that start has started.
func (b *bench) stop() {
	if b.server != nil {
		_ = b.server.Stop(startLimit)
	}
	if b.sandbox != nil {
		_ = b.sandbox.Close()
	}
	if b.redis != nil {
		b.redis.stop()
	}
	if b.fixture != nil {
		b.fixture.Close()
	}
	if b.database != nil {
		b.database.stop()
	}
	if b.dir != "" {
		_ = os.RemoveAll(b.dir)
	}
}

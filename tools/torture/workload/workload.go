// Package workload is the clients of a torture run: few tenants, few dates, and many who want them. What each client
// does follows from the run's seed; what it is answered doesn't.
package workload

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/torture/history"
)

// settlePause is between two rounds of repeating what isn't known.
const settlePause = 300 * time.Millisecond

// Config is how a workload is set up.
type Config struct {
	Seed    uint64
	Clients int
	// Pace is the mean pause of a client between two things that it does.
	Pace time.Duration
	// Servers are the addresses at which clients reach the servers, AdminKey their admin key.
	Servers  []string
	AdminKey string
	// Cells are the names of the cells, which get the tenants in turn; nil without cells.
	Cells   []string
	History *history.Writer
	// Receiver, if set, receives the tenants' webhooks.
	Receiver Receiver
	// Operations are what clients do; nil is Operations().
	Operations []Share
	// OnlyShaped has clients book nothing but services whose bookings take something else than units of one resource.
	OnlyShaped bool
	// Enough, if set, ends the clients' work once it reports true of the requests that were done, by kind.
	Enough func(done map[string]int) bool
}

// Receiver receives the webhooks of tenants.
type Receiver interface {
	// URL is where those of a tenant are received.
	URL(tenant string) string
	// Trust sets the secret that signs those of a tenant.
	Trust(tenant, secret string) error
}

// Workload is the clients and what they work on.
type Workload struct {
	Tenants []*Tenant

	cfg        Config
	operations []Share
	clients    []*Client

	mu   sync.Mutex
	done map[string]int
}

// New makes the tenants and the clients of a run, through a server that isn't harmed yet.
func New(ctx context.Context, cfg Config) (*Workload, error) {
	tenants, err := newTenants(ctx, cfg)
	if err != nil {
		return nil, err
	}
	w := &Workload{Tenants: tenants, cfg: cfg, operations: cfg.Operations, done: map[string]int{}}
	if w.operations == nil {
		w.operations = Operations()
	}
	for id := range cfg.Clients {
		w.clients = append(w.clients, &Client{
			ID: id, workload: w, http: &http.Client{Timeout: answerLimit, Transport: transport()},
			Random: rand.New(rand.NewPCG(cfg.Seed, uint64(id))), //nolint:gosec // repeatable on purpose
		})
	}
	return w, nil
}

// Run has all clients work until load ends or they have done enough, and returns when each has its last answer or knows
// that it gets none. ctx cuts them off. An error is of the history.
func (w *Workload) Run(ctx, load context.Context) error {
	var all errgroup.Group
	for _, c := range w.clients {
		all.Go(func() error { return c.work(ctx, load) })
	}
	return all.Wait()
}

// Unknown counts the requests of which their client didn't learn under load what became of them.
type Unknown struct {
	// Done and Refused became known when the client repeated the request.
	Done, Refused int
	// Left were never repeated: some clients don't come back.
	Left int
	// Still have no end although they were repeated until there was no time left.
	Still int
}

// Settle has clients repeat what they don't know the end of until they do or ctx ends, one in three aside, and then
// some of what was done.
func (w *Workload) Settle(ctx context.Context) (Unknown, error) {
	var all errgroup.Group
	counts := make([]Unknown, len(w.clients))
	for i, c := range w.clients {
		all.Go(func() (err error) {
			counts[i], err = c.settle(ctx)
			return err
		})
	}
	err := all.Wait()
	var sum Unknown
	for _, n := range counts {
		sum.Done, sum.Refused, sum.Left, sum.Still = sum.Done+n.Done, sum.Refused+n.Refused, sum.Left+n.Left,
			sum.Still+n.Still
	}
	return sum, err
}

func (c *Client) settle(ctx context.Context) (n Unknown, err error) {
	var repeated []*task
	for _, e := range c.open {
		if c.Random.IntN(3) == 0 {
			n.Left++
		} else {
			repeated = append(repeated, e)
		}
	}
	for c.open = repeated; len(c.open) > 0 && ctx.Err() == nil; wait(ctx, settlePause) {
		var still []*task
		for _, e := range c.open {
			e.server = c.anyServer()
			if err := c.try(ctx, e); err != nil {
				return n, err
			}
			switch {
			case !e.known() || e.last.Status == http.StatusServiceUnavailable:
				still = append(still, e)
			case e.last.Outcome == history.Done:
				n.Done++
			default:
				n.Refused++
			}
		}
		if c.open = still; len(still) == 0 {
			break
		}
	}
	n.Still = len(c.open)
	return n, c.replay(ctx)
}

// replay repeats requests that were answered, once each gets an answer that isn't 503.
func (c *Client) replay(ctx context.Context) error {
	for _, e := range c.answered {
		for ctx.Err() == nil {
			e.server = c.anyServer()
			if err := c.try(ctx, e); err != nil {
				return err
			}
			if e.last.Status != 0 && e.last.Status != http.StatusServiceUnavailable {
				break
			}
			wait(ctx, settlePause)
		}
	}
	return nil
}

// count notes that a request was done.
func (w *Workload) count(kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[kind]++
}

func (w *Workload) enough() bool {
	if w.cfg.Enough == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cfg.Enough(w.done)
}

func (w *Workload) choose(random *rand.Rand) Operation {
	sum := 0
	for _, s := range w.operations {
		sum += s.Weight
	}
	n := random.IntN(sum)
	for _, s := range w.operations {
		if n -= s.Weight; n < 0 {
			return s.Operation
		}
	}
	return w.operations[0].Operation
}

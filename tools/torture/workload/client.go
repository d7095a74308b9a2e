package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"holdfast/tools/torture/history"
)

// maxTries is how often a client sends one request while it is under load.
const maxTries = 6

// Client is one of the run's clients. It does one thing after the other.
type Client struct {
	ID int
	// Random is all the chance that the client has: the run's seed repeats it.
	Random *rand.Rand
	// Tenant is the one for which it does what it is doing.
	Tenant *Tenant

	workload *Workload
	http     *http.Client
	keys     int
	notes    int
	open     []*task
	// visits are the holds that visitors made and go on with, the newest last.
	visits []*visit
	// answered are some of the requests that were done, chosen from all of them alike, and done is how many there were.
	answered []*task
	done     int
}

// Elapsed is the run's time.
func (c *Client) Elapsed() time.Duration { return c.workload.cfg.History.Now() }

// task is a request under one key, with as many tries as it takes.
type task struct {
	operation Operation
	request   *Request
	tenant    *Tenant
	key       string
	server    int
	last      Answer
}

// known reports whether the client has learnt what became of the task.
func (e *task) known() bool {
	return !e.request.keyed() || e.last.Outcome != history.Unknown && !e.last.inProgress()
}

// work does one thing after the other until load ends or all clients have done enough.
func (c *Client) work(ctx, load context.Context) error {
	for load.Err() == nil && !c.workload.enough() {
		c.Tenant = c.workload.Tenants[c.Random.IntN(len(c.workload.Tenants))]
		o := c.workload.choose(c.Random)
		if r := o.Next(c); r != nil {
			e := &task{operation: o, request: r, tenant: c.Tenant, server: c.anyServer()}
			if r.keyed() {
				c.keys++
				e.key = fmt.Sprintf("c%d-%d", c.ID, c.keys)
				if r.Visitor { // these have to be longer
					e.key = fmt.Sprintf("visitor-c%06d-%06d", c.ID, c.keys)
				}
			}
			if err := c.run(ctx, load, e); err != nil {
				return err
			}
		}
		c.pause(load, c.workload.cfg.Pace)
	}
	return nil
}

// run sends a task until its client stops repeating it.
func (c *Client) run(ctx, load context.Context, e *task) error {
	for try := 1; ; try++ {
		if err := c.try(ctx, e); err != nil {
			return err
		}
		if try == maxTries || load.Err() != nil || !c.again(e) {
			break
		}
		if c.Random.IntN(2) == 0 {
			e.server = c.anyServer()
		}
		c.pause(load, time.Duration(try)*c.workload.cfg.Pace)
	}
	switch {
	case !e.known():
		c.open = append(c.open, e)
	case e.last.Outcome == history.Done && e.request.keyed():
		c.keep(e)
	}
	return nil
}

// keep remembers the request for the end of the run, so that some are repeated long after their answer.
func (c *Client) keep(e *task) {
	const most = 4
	c.done++
	if len(c.answered) < most {
		c.answered = append(c.answered, e)
	} else if n := c.Random.IntN(c.done); n < most {
		c.answered[n] = e
	}
}

// again reports whether the client sends the same request again: nearly always where it doesn't know what became of it,
// sometimes where it does, because networks and people repeat things.
func (c *Client) again(e *task) bool {
	const hundred = 100
	chance := 6
	switch {
	case e.key == "":
		chance = 0
	case e.last.Outcome == history.Unknown:
		chance = 85
	case e.last.inProgress():
		chance = 60
	case e.last.Code == "tenant_moving" || e.last.Code == "tenant_moved":
		chance = 95
	case e.last.Status == http.StatusServiceUnavailable:
		chance = 70
	}
	return c.Random.IntN(hundred) < chance
}

// try sends a task's request once and records it.
func (c *Client) try(ctx context.Context, e *task) error {
	op := history.Operation{
		Client:  c.ID,
		Kind:    e.operation.Kind(),
		Tenant:  e.tenant.ID,
		Key:     e.key,
		Server:  e.server,
		Method:  e.request.Method,
		Path:    e.request.Path,
		IfMatch: e.request.IfMatch,
	}
	var err error
	if e.request.Body != nil {
		if op.Request, err = json.Marshal(e.request.Body); err != nil {
			return fmt.Errorf("encode a request: %w", err)
		}
	}
	if op, err = c.workload.cfg.History.Invoke(op); err != nil {
		return err
	}
	apiKey := e.tenant.APIKey
	if e.request.Visitor {
		apiKey = e.tenant.WebsiteKey
	}
	e.last, err = send(ctx, c.http, c.workload.cfg.Servers[e.server], apiKey, e.key, *e.request)
	if err != nil {
		op.Error = err.Error()
	}
	op.Outcome, op.Status, op.Code, op.Replayed, op.ETag = e.last.Outcome, e.last.Status, e.last.Code, e.last.Replayed,
		e.last.ETag
	if err == nil {
		op.Response = e.last.Body
	}
	if _, err := c.workload.cfg.History.Return(op); err != nil {
		return err
	}
	if op.Outcome == history.Done && !op.Replayed {
		c.workload.count(op.Kind)
	}
	c.Tenant = e.tenant
	e.operation.Learn(c, e.request, e.last)
	return nil
}

func (c *Client) anyServer() int { return c.Random.IntN(len(c.workload.cfg.Servers)) }

// pause waits for about mean, or until ctx ends.
func (c *Client) pause(ctx context.Context, mean time.Duration) {
	wait(ctx, time.Duration(c.Random.Int64N(int64(2*mean)+1)))
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

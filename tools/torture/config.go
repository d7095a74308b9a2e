package torture

import (
	"context"
	"time"

	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/history"
	"holdfast/tools/torture/nemesis"
	"holdfast/tools/torture/workload"
)

// Mode is how servers reach the database.
type Mode string

// The modes.
const (
	// Direct: each connection of a server is one of the database.
	Direct Mode = "direct"
	// PgBouncer: through PgBouncer in transaction mode.
	PgBouncer Mode = "pgbouncer"
	// Standby: directly, and the database has a synchronous standby, which is frozen, cut off and promoted.
	Standby Mode = "standby"
	// Cells: directly, and there are three databases, each a cell. One of them has a synchronous standby. Tenants move
	// between the cells.
	Cells Mode = "cells"
)

// cellNames are the names of the cells of a run with cells. The first is the home cell.
var cellNames = []string{"one", "two", "three"}

// Modes are all modes.
var Modes = []Mode{Direct, PgBouncer, Standby, Cells}

// Faults returns what can happen in the mode.
func (m Mode) Faults() []nemesis.Fault {
	switch m {
	case Standby:
		return nemesis.StandbyFaults()
	case Cells:
		return nemesis.CellFaults()
	default:
		return nemesis.Faults()
	}
}

// databases returns how the databases of a run are set up. The seed chooses the cell that has the standby, unless
// nothing breaks.
func (c Config) databases() []cluster.DatabaseConfig {
	if c.Mode != Cells {
		return []cluster.DatabaseConfig{{Standby: c.Mode == Standby}}
	}
	list := make([]cluster.DatabaseConfig, len(cellNames))
	for i, name := range cellNames {
		list[i] = cluster.DatabaseConfig{Cell: name, Standby: len(c.Faults) > 0 &&
			c.Seed%uint64(len(cellNames)) == uint64(i)}
	}
	return list
}

// Config says what a run does. Its zero value is a run of a minute.
type Config struct {
	// Seed is what all chance of clients and faults comes from. What the operating system's scheduler does isn't
	// repeated.
	Seed uint64
	// Duration is how long there is load. Default one minute.
	Duration time.Duration
	// Enough, if set, ends the load before Duration, once it reports true of the requests that were done, by kind.
	Enough func(done map[string]int) bool
	// Mode's default is Direct.
	Mode Mode
	// Servers and Clients are how many there are; defaults 3 and 16.
	Servers, Clients int
	// Pace is a client's mean pause between two things that it does. Default 40 ms.
	Pace time.Duration
	// Operations are what clients do; nil is workload.Operations().
	Operations []workload.Share
	// OnlyShaped has clients book nothing but services whose bookings take something else than units of one resource.
	OnlyShaped bool
	// Settle is how long everything unknown may take to settle once the load and the faults are over. Default two
	// minutes.
	Settle time.Duration
	// Faults are those that happen; nil is Mode.Faults(), an empty slice none.
	Faults []nemesis.Fault
	// Webhooks says that the tenants' events are delivered to a receiver also in a run without faults.
	Webhooks bool
	// Dir is where the run keeps its files, each run in a directory of its own. Default: the system's temporary
	// directory.
	Dir string
	// Binary is the server, as cluster.Build makes it. Default: it is built.
	Binary string
	// Env are variables of the servers' environment that are added or win.
	Env []string
	// Prepare, if set, is run on each database before the first request: a planted defect may need another schema.
	Prepare func(ctx context.Context, databaseURL string) error
	// Rewrite, if set, changes the statements of the servers, which are numbered, on their way to a database, and those
	// of the mover, whose number is Servers.
	Rewrite func(process int, sql string) string
	// Actor, if set, runs beside the clients until load ends.
	Actor func(ctx, load context.Context, c *cluster.Cluster) error
	// Check judges the run, nil doesn't. CheckEvery, if set, has it judge the history under load too, that often, and
	// the first violation ends the load.
	Check      Check
	CheckEvery time.Duration
}

// Check returns the violations of a run.
type Check func(ctx context.Context, e Evidence) ([]Violation, error)

// Evidence is what a run is judged by.
type Evidence struct {
	Operations []history.Operation
	// Final says that the run is over and settled, so that the state may be looked at.
	Final bool
	// Databases are those of the cells, or the only one, with URLs of the superuser. ProviderURL reaches the payment
	// provider, whose key is cluster.SandboxKey.
	Databases   []check.Database
	ProviderURL string
	// Webhooks returns those that the tenants' receiver got; it is nil if the tenants have no endpoints.
	Webhooks func() []cluster.Webhook
	// Settled says that everything had ended before. Progress tells what has no end and how much has changed: what runs
	// out by time, such as a hold, changes the state also after that.
	Settled  bool
	Progress func(ctx context.Context) (Progress, error)
}

// Progress is what has no end yet, and how many changes were made.
type Progress struct {
	Open    cluster.Open
	Changes int64
}

// Violation is a promise that was broken.
type Violation struct {
	Rule string
	// Detail is a sentence that says what was broken and by what.
	Detail string
	// Operations are the ids of the operations to look at in the history; may be empty.
	Operations []int64
}

func (c Config) withDefaults() Config {
	if c.Duration <= 0 {
		c.Duration = time.Minute
	}
	if c.Mode == "" {
		c.Mode = Direct
	}
	if c.Servers <= 0 {
		c.Servers = 3
	}
	if c.Clients <= 0 {
		c.Clients = 16
	}
	if c.Pace <= 0 {
		c.Pace = 40 * time.Millisecond
	}
	if c.Settle <= 0 {
		c.Settle = 2 * time.Minute
	}
	if c.Faults == nil {
		c.Faults = c.Mode.Faults()
	}
	c.Webhooks = c.Webhooks || len(c.Faults) > 0
	return c
}

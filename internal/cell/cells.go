package cell

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

const (
	// syncBatch is how many tenants are compared with the directory at once.
	syncBatch = 1000
	// syncPause and longestSyncPause are between two tries to compare a cell with the directory: each try reads all
	// tenants.
	syncPause        = 2 * time.Second
	longestSyncPause = time.Minute
	// readyTimeout bounds the question whether a cell serves. Health checks of load balancers give up soon after.
	readyTimeout = 2 * time.Second
	// firstOpenings is how long a server that starts isn't ready until it has tried to open each cell: a load balancer
	// would send it the requests of tenants whose cell is about to be opened.
	firstOpenings = 10 * time.Second
)

// Cell is one cell of a server. It is open once its database was migrated and checked.
type Cell struct {
	name  string
	open  atomic.Pointer[opened]
	tried atomic.Bool // it was opened once, or couldn't be
}

// opened is what an open cell has.
type opened struct {
	db    *db.DB
	api   http.Handler
	ready func(context.Context) (commits string, err error)
}

// Cells are the cells of a server. They are safe for concurrent use.
type Cells struct {
	directory *Directory
	list      []*Cell // the first is the home cell
	byName    map[string]*Cell
	began     time.Time
	down      atomic.Value // the names of the cells that didn't serve when Ready asked last, a []string
	log       *slog.Logger
	work      sync.WaitGroup
}

// New returns cells that aren't open yet. The first one is the home cell.
func New(names []string, log *slog.Logger) *Cells {
	c := &Cells{began: time.Now(), byName: make(map[string]*Cell), log: log}
	for _, name := range names {
		one := &Cell{name: name}
		c.list, c.byName[name] = append(c.list, one), one
	}
	c.directory = newDirectory(c.readDirectory, log)
	return c
}

// errNotOpen says that a cell isn't open yet.
var errNotOpen = errors.New("the cell isn't open yet")

func (c *Cells) home() (*db.DB, error) {
	o := c.list[0].open.Load()
	if o == nil {
		return nil, problem.Wrap(errNotOpen, problem.DatabaseUnavailable,
			"The home cell isn't open yet.").Retry(time.Second)
	}
	return o.db, nil
}

func (c *Cells) readDirectory(ctx context.Context, since int64) ([]Entry, int64, error) {
	home, err := c.home()
	if err != nil {
		return nil, 0, err
	}
	return readDirectory(ctx, home, since)
}

// Run keeps the copy of the directory until ctx ends.
func (c *Cells) Run(ctx context.Context) {
	c.directory.Run(ctx)
	c.work.Wait()
}

// Open lets a cell serve: requests go to api from now on. ready is as for httpapi.Config. In the background, until ctx
// ends, the cell's tenants are compared with the directory.
func (c *Cells) Open(ctx context.Context, name string, st *db.DB, api http.Handler,
	ready func(context.Context) (commits string, err error),
) {
	one := c.byName[name]
	one.open.Store(&opened{db: st, api: api, ready: ready})
	one.tried.Store(true)
	c.work.Go(func() {
		for pause := syncPause; ; pause = min(2*pause, longestSyncPause) {
			err := c.compare(ctx, one)
			if err == nil || ctx.Err() != nil {
				return
			}
			c.log.Warn("compare the cell's tenants with the directory; trying again", "cell", name, "error", err)
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	})
}

// Slugs returns the slugs of a cell's tenants, for tenant.Service.ShareSlugs.
func (c *Cells) Slugs(cell string) tenant.Slugs { return slugs{home: c.home, cell: cell} }

// SlugsOf is Cells.Slugs for a command, which has opened the home cell.
func SlugsOf(home *db.DB, cell string) tenant.Slugs {
	return slugs{home: func() (*db.DB, error) { return home, nil }, cell: cell}
}

// slugs are those of a cell's tenants, unique over all cells by the directory.
type slugs struct {
	home func() (*db.DB, error)
	cell string
}

// Reserve adds the tenant to the directory. It refuses the slug of another cell's tenant.
func (n slugs) Reserve(ctx context.Context, slug string, id uuid.UUID) (uuid.UUID, error) {
	home, err := n.home()
	if err != nil {
		return uuid.Nil, err
	}
	entry, err := reserve(ctx, home, n.cell, tenant.Name{TenantID: id, Slug: slug})
	switch {
	case err != nil:
		return uuid.Nil, err
	case entry.Cell != n.cell:
		return uuid.Nil, problem.New(problem.AlreadyExists, "A tenant with this slug exists.")
	}
	return entry.TenantID, nil
}

// Rename changes the slug of the tenant in the directory.
func (n slugs) Rename(ctx context.Context, id uuid.UUID, slug string) error {
	home, err := n.home()
	if err != nil {
		return err
	}
	return rename(ctx, home, tenant.Name{TenantID: id, Slug: slug})
}

// compare adds a cell's tenants to the directory that it lacks, such as all when a second cell is added to the first,
// and warns of those that the directory has elsewhere.
func (c *Cells) compare(ctx context.Context, one *Cell) error {
	st := one.open.Load().db
	home, homeErr := c.home()
	if homeErr == nil && one == c.list[0] {
		homeErr = mendDirectory(ctx, home)
	}
	tenants, after := tenant.NewService(st), uuid.Nil
	var all []uuid.UUID
	for {
		page, err := tenants.List(ctx, tenant.Filter{}, after, syncBatch)
		if err != nil {
			return err
		}
		names, ids := make([]tenant.Name, len(page)), make([]uuid.UUID, len(page))
		for i, t := range page {
			names[i], ids[i] = tenant.Name{TenantID: t.ID, Slug: t.Slug}, t.ID
		}
		all = append(all, ids...)
		if homeErr != nil { // serve what this cell has all the same
			c.directory.learn(one.name, ids)
		} else if len(names) > 0 {
			if err := addToDirectory(ctx, home, one.name, names); err != nil {
				return err
			}
		}
		if len(page) < syncBatch {
			break
		}
		after = page[len(page)-1].ID
	}
	if homeErr != nil {
		return homeErr
	}
	if err := c.directory.refreshed(ctx); err != nil {
		return err
	}
	elsewhere := 0
	for _, id := range all {
		switch l, ok := c.directory.lookUp(id); {
		case !ok:
			c.log.Error("a tenant of this cell gets no requests, as another tenant of the directory has its slug: correct one of the slugs",
				"cell", one.name, "tenant_id", id)
		case l.cell != one.name:
			elsewhere++
		}
	}
	if elsewhere > 0 {
		c.log.Warn("tenants are in this cell although the directory has them elsewhere: was it restored to a time before they moved away?",
			"cell", one.name, "tenants", elsewhere)
	}
	return nil
}

// NotOpened says that a cell couldn't be opened yet: the server doesn't wait for it to be ready for the others.
func (c *Cells) NotOpened(name string) { c.byName[name].tried.Store(true) }

// awaited returns an error while a server that has just started hasn't tried to open each cell.
func (c *Cells) awaited() error {
	if time.Since(c.began) > firstOpenings {
		return nil
	}
	for _, one := range c.list {
		if !one.tried.Load() {
			return problem.Wrap(errNotOpen, problem.DatabaseUnavailable,
				"The server is opening the cell "+one.name+".").Retry(time.Second)
		}
	}
	return nil
}

// ReadyIn reports whether a cell serves requests, and what its commits wait for. Errors: problem.DatabaseUnavailable.
func (c *Cells) ReadyIn(ctx context.Context, name string) (commits string, err error) {
	o := c.byName[name].open.Load()
	if o == nil {
		return "", problem.Wrap(errNotOpen, problem.DatabaseUnavailable, "The cell isn't open yet.").Retry(time.Second)
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return o.ready(ctx)
}

// Ready asks all cells at once whether they serve requests. It reports whether at least one does, and what the commits
// of those that do wait for. A server that has just started isn't ready before it has tried to open each cell, for ten
// seconds at most. Errors: problem.DatabaseUnavailable.
func (c *Cells) Ready(ctx context.Context) (commits string, err error) {
	if err := c.awaited(); err != nil {
		return "", err
	}
	states := make([]cellState, len(c.list))
	var asked sync.WaitGroup
	for i, one := range c.list {
		asked.Go(func() { states[i].commits, states[i].err = c.ReadyIn(ctx, one.name) })
	}
	asked.Wait()
	var said, down []string
	for i, one := range c.list {
		if states[i].err == nil {
			said = append(said, one.name+": "+states[i].commits)
		} else {
			down, err = append(down, one.name), states[i].err
		}
	}
	c.down.Store(down)
	if len(said) > 0 {
		return strings.Join(said, "; "), nil
	}
	return "", err
}

// Warning names the cells that didn't serve when Ready asked last, and says if a move of a tenant isn't finished after
// some minutes. It is empty if all is well.
func (c *Cells) Warning() string {
	var texts []string
	if down, _ := c.down.Load().([]string); len(down) > 0 {
		texts = append(texts,
			fmt.Sprintf("These cells don't serve: %s. Their tenants get 503.", strings.Join(down, ", ")))
	}
	if m := c.directory.moves(time.Now()); m.Oldest > longMove {
		texts = append(texts,
			fmt.Sprintf("A move of a tenant began %s ago and isn't finished; "+
				"tenants whose requests are held back: %d. See holdfast cells list.",
				m.Oldest.Round(time.Minute), m.HeldBack))
	}
	return strings.Join(texts, " ")
}

type cellState struct {
	commits string
	err     error
}

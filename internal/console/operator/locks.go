package operator

import (
	"net/http"
	"slices"
	"time"

	"holdfast/internal/lockview"
)

// locksPage are the locks that somebody holds or awaits.
type locksPage struct {
	lockview.LocksBody

	Path     string
	Cells    []string
	Cell     string
	Waiting  int // sessions that wait
	Refresh  int // seconds after which the script loads the page anew
	Patterns []lockPattern
}

// lockPattern is what the registry says of the locks that have a pattern.
type lockPattern struct {
	Pattern  string
	Registry []lockview.Cell
}

// locksRefresh is how many seconds lie between two looks: those of holdfast locks --watch.
const locksRefresh = 2

func (c *Console) showLocks(v *visit) error {
	found, err := c.Locks.View(v.ctx())
	if err != nil {
		return err
	}
	page := locksPage{LocksBody: found, Path: path("locks"), Cells: c.cfg.Cells, Cell: c.cfg.Cell, Refresh: locksRefresh}
	for _, l := range found.Locks {
		page.Waiting += len(l.Waiters)
		for _, n := range l.Names {
			known := func(p lockPattern) bool { return p.Pattern == n.Pattern }
			if !slices.ContainsFunc(page.Patterns, known) {
				page.Patterns = append(page.Patterns, lockPattern{n.Pattern, lockview.RegistryRow(n.Pattern)})
			}
		}
	}
	return c.render(v, http.StatusOK, "locks", "Locks", page)
}

// lasted returns milliseconds as people read them.
func lasted(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}

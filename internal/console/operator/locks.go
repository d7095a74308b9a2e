package operator

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"holdfast/internal/lockview"
)

// locksPage are the locks that somebody holds or awaits.
type locksPage struct {
	lockview.LocksBody

	Path     string
	Cells    []string
	Cell     string
	Held     int // locks that are held or awaited
	More     int // those of them that aren't shown
	Refresh  int // seconds after which the script loads the page anew
	Patterns []lockPattern
}

// lockPattern is what the registry says of the locks that have a pattern.
type lockPattern struct {
	Pattern  string
	Registry []lockview.Cell
}

// maxLocks is how many locks the page shows. Those that somebody awaits come first.
const maxLocks = 100

// locksRefresh is how many seconds lie between two looks: those of holdfast locks --watch.
const locksRefresh = 2

func (c *Console) showLocks(v *visit) error {
	found, err := c.Locks.View(v.ctx())
	if err != nil {
		return err
	}
	page := locksPage{Held: len(found.Locks), Path: path("locks"), Cells: c.cfg.Cells, Cell: c.cfg.Cell,
		Refresh: locksRefresh}
	for _, l := range found.Locks {
		for _, n := range l.Names {
			known := func(p lockPattern) bool { return p.Pattern == n.Pattern }
			if !slices.ContainsFunc(page.Patterns, known) {
				page.Patterns = append(page.Patterns, lockPattern{n.Pattern, lockview.RegistryRow(n.Pattern)})
			}
		}
	}
	if page.More = max(page.Held-maxLocks, 0); page.More > 0 {
		found.Locks = found.Locks[:maxLocks]
	}
	page.LocksBody = found
	return c.render(v, http.StatusOK, "locks", "Locks", page)
}

// lasted writes milliseconds as people read them.
func lasted(ms int64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case d < time.Minute:
		return strconv.FormatFloat(d.Round(10*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	case d < time.Hour && d%time.Minute < time.Second:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

package cell

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// longMove is how long a move may take before Warning names it.
const longMove = 5 * time.Minute

// RegisterMetrics registers how many tenants are being moved, and for how long the oldest move has taken, as far as
// this server has read the directory. c is nil with one cell, where nothing moves.
func RegisterMetrics(reg prometheus.Registerer, c *Cells) {
	moves := func() Moves {
		if c == nil {
			return Moves{}
		}
		return c.directory.moves(time.Now())
	}
	register := promauto.With(reg)
	for state, count := range map[string]func(Moves) int{
		"served":    func(m Moves) int { return m.Served },
		"held_back": func(m Moves) int { return m.HeldBack },
	} {
		register.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdfast_tenants_moving", ConstLabels: prometheus.Labels{"requests": state},
			Help: "Tenants whose move to another cell has begun, by what happens to their requests.",
		}, func() float64 { return float64(count(moves())) })
	}
	register.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_tenant_move_age_seconds",
		Help: "Time since the oldest move of a tenant that isn't finished began; 0 without one.",
	}, func() float64 { return moves().Oldest.Seconds() })
}

// Moves are the moves of tenants that have begun and aren't finished.
type Moves struct {
	Served   int // whose requests are served
	HeldBack int // whose requests wait, or are refused
	// Oldest is how long ago the oldest move began.
	Oldest time.Duration
}

// moves returns what the copy of the directory says of moves.
func (d *Directory) moves(now time.Time) (m Moves) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for tenant, began := range d.moving {
		if d.known[tenant].frozen {
			m.HeldBack++
		} else {
			m.Served++
		}
		m.Oldest = max(m.Oldest, now.Sub(began))
	}
	return m
}

package cluster

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// Commits decides which of a server's transactions lose their connection around COMMIT.
type Commits struct {
	mu            sync.Mutex
	random        *rand.Rand
	before, after float64
	cut           atomic.Int64
}

// Endanger has each COMMIT from now on lose its connection with a probability: before the database gets it, and after
// the database has answered it. Zeros end it.
func (c *Commits) Endanger(before, after float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before, c.after = before, after
}

// Cut returns how many connections were cut so far.
func (c *Commits) Cut() int { return int(c.cut.Load()) }

func (c *Commits) cutBefore() bool { return c.decide(&c.before) }
func (c *Commits) cutAfter() bool  { return c.decide(&c.after) }

func (c *Commits) decide(probability *float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *probability == 0 || c.random.Float64() >= *probability {
		return false
	}
	c.cut.Add(1)
	return true
}

package cluster

import (
	"fmt"
	"math/rand/v2"
	"net/url"

	"github.com/Shopify/toxiproxy/v2"

	"holdfast/internal/db/dbtest"
)

// Paths are the paths of a process to the databases.
type Paths struct {
	// Backs are the paths, in the order of the databases.
	Backs []*Link
	// Commits are those of the process's transactions.
	Commits *Commits

	wires []*dbtest.Proxy
	urls  []string // reach the databases through the paths
}

// newPaths returns the paths of the process with a number to the databases, which are reached at urls.
func newPaths(cfg Config, number int, name string, proxies *toxiproxy.ApiServer, urls []string) (*Paths, error) {
	p := &Paths{Commits: &Commits{random: rand.New(rand.NewPCG(cfg.Seed, uint64(number)))}} //nolint:gosec // repeatable on purpose
	for i, databaseURL := range urls {
		wire, err := dbtest.StartProxy(databaseURL, func(w *dbtest.Proxy) {
			w.BeforeCommit, w.AfterCommit = p.Commits.cutBefore, p.Commits.cutAfter
			if cfg.Rewrite != nil {
				w.Rewrite = func(sql string) string { return cfg.Rewrite(number, sql) }
			}
		})
		if err != nil {
			return nil, err
		}
		p.wires = append(p.wires, wire)
		through, err := url.Parse(wire.URL)
		if err != nil {
			return nil, fmt.Errorf("parse the database's URL: %w", err)
		}
		link, err := newLink(proxies, fmt.Sprintf("%s to database %d", name, i), through.Host)
		if err != nil {
			return nil, err
		}
		through.Host = link.Addr()
		p.Backs, p.urls = append(p.Backs, link), append(p.urls, through.String())
	}
	return p, nil
}

func (p *Paths) close() {
	for _, l := range p.Backs {
		l.close()
	}
	for _, w := range p.wires {
		w.Close()
	}
}

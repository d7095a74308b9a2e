package store

import (
	"encoding/binary"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/groupcommit"
	"holdfast/internal/lock"
)

// maxGroup bounds how many requests share a transaction, and so for how long it holds its locks.
const maxGroup = 64

// bookGroups are the groups of requests that share transactions, with their figures.
type bookGroups struct {
	*groupcommit.Groups[bookRequest]
	size prometheus.Histogram
}

// groupRequest is a request in a group.
type groupRequest = groupcommit.Request[bookRequest]

func newBookGroups(reg prometheus.Registerer) bookGroups {
	register := promauto.With(reg)
	groups := groupcommit.New[bookRequest](maxGroup)
	register.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_group_requests", Help: "Requests that share a transaction, or wait to share one.",
	}, func() float64 { return float64(groups.Requests()) })
	return bookGroups{Groups: groups, size: register.NewHistogram(prometheus.HistogramOpts{
		Name: "holdfast_group_size", Buckets: []float64{1, 2, 4, 8, 16, 32, 64},
		Help: "Requests of a tenant that shared one transaction.",
	})}
}

// retryAlone reports whether a request of a group runs again by itself: the group's transaction decided nothing about it, or was aborted.
// What it wrote then shows by its key.
func retryAlone(err error) bool {
	return errors.Is(err, core.ErrRetryAlone) || errors.Is(err, groupcommit.ErrAborted)
}

// tenantGroup is the key of the group of a tenant's requests for different dates.
func tenantGroup(keys lock.DateKeys) string {
	tenant := keys.Tenant()
	return string(tenant[:])
}

// dateGroup is the key of the group of the requests that wait for the same locks. It starts with the tenant: the numbers of
// locks are hashes, and those of two tenants may be the same.
func dateGroup(keys lock.DateKeys) string {
	tenant := keys.Tenant()
	key := tenant[:]
	for _, k := range keys.Keys() {
		key = binary.BigEndian.AppendUint64(key, uint64(k.ID()))
	}
	return string(key)
}

package booking

import (
	"errors"
	"math"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/db"
)

// Service has the use cases of booking. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	group *db.Group[groupRequest]
	rules *otter.Cache[rulesKey, *rules]

	newCode func() string
}

// maxRulesBytes bounds the memory that services' rules are kept in. Those of 10,000 plain services take a third of it.
const maxRulesBytes = 64 << 20

type rulesKey struct{ tenant, service uuid.UUID }

// NewService returns the use cases on d.
func NewService(d *db.DB) *Service {
	return &Service{
		db:      d,
		group:   db.NewGroup(d, beginGroup),
		newCode: newCode,
		rules: otter.Must(&otter.Options[rulesKey, *rules]{
			MaximumWeight: maxRulesBytes,
			Weigher:       func(_ rulesKey, r *rules) uint32 { return uint32(min(r.Size(), math.MaxUint32)) },
		}),
	}
}

// errStaleRules says that the tenant's catalog changed since the rules were read.
var errStaleRules = errors.New("booking: stale rules")

// maxStale is how often in a row a use case may find its rules stale: the catalog would have to change between
// each reading of the rules and the lock.
const maxStale = 10

package webhook

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/groupcommit"
	"holdfast/internal/problem"
	"holdfast/internal/waitqueue"
)

// maxLoaded is how many deliveries are loaded in one round trip.
const maxLoaded = 64

// loads reads what deliveries need. Deliveries of one tenant that begin while a round trip runs share the next one.
type loads struct {
	db     *db.DB
	groups *groupcommit.Groups[*loading]
	queues *waitqueue.Queues[uuid.UUID] // of tenants: one round trip at a time
}

// loading is one delivery that is read.
type loading struct {
	key  deliveryKey
	read toDeliver
}

func newLoads(d *db.DB) loads {
	return loads{db: d, groups: groupcommit.New[*loading](maxLoaded), queues: waitqueue.New[uuid.UUID](1)}
}

// load reads what one delivery needs. Errors: those of readToDeliver; ctx's error.
func (l *loads) load(ctx context.Context, tenant uuid.UUID, key deliveryKey) (toDeliver, error) {
	one := &loading{key: key}
	leader, err := l.groups.Join(ctx, tenant.String(), one)
	if leader == nil {
		return one.read, err
	}
	defer leader.Abort()
	release, err := l.queues.Acquire(ctx, tenant)
	if err != nil {
		return toDeliver{}, err
	}
	defer release()
	requests := leader.Close()
	// The others must not fail because this delivery is cut off.
	err = leader.End(l.loadAll(context.WithoutCancel(ctx), tenant, requests))
	return one.read, err
}

func (l *loads) loadAll(ctx context.Context, tenant uuid.UUID, requests []*groupcommit.Request[*loading]) error {
	keys := make([]deliveryKey, len(requests))
	for i, r := range requests {
		keys[i] = r.Value.key
	}
	read, err := l.readToDeliver(ctx, tenant, keys)
	if problem.Is(err, problem.LockTimeout) && len(requests) > 1 {
		// an erasure that takes long holds up the deliveries that it changes alone
		for _, r := range requests {
			r.Complete(l.loadAll(ctx, tenant, []*groupcommit.Request[*loading]{r}))
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, r := range requests {
		r.Value.read = read[i]
	}
	return nil
}

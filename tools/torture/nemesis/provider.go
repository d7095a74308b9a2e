package nemesis

import (
	"context"
	"math/rand/v2"
	"time"

	"holdfast/internal/payment/sandbox"
	"holdfast/tools/torture/cluster"
)

const healPoll = 100 * time.Millisecond

// providerErrors has the payment provider give errors, lose requests and answers, or be down.
type providerErrors struct{}

func (providerErrors) Name() string { return "payment provider in trouble" }

func (providerErrors) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	kinds := []sandbox.FaultKind{
		sandbox.ErrorBefore, sandbox.ErrorDuring, sandbox.ErrorAfter, sandbox.DropBefore, sandbox.DropAfter,
		sandbox.Delay,
		sandbox.Unavailable, sandbox.RateLimit, sandbox.Down,
	}
	f := sandbox.Fault{Kind: kinds[random.IntN(len(kinds))], Probability: half, Seed: random.Uint64()}
	switch f.Kind {
	case sandbox.Delay:
		f.Delay = time.Duration(random.IntN(2000)) * time.Millisecond
	case sandbox.Down:
		f.For = time.Duration(1+random.IntN(1500)) * time.Millisecond
	default:
	}
	return harm(ctx, c, f)
}

// webhooks has the payment provider's events come twice, late, or out of order.
type webhooks struct{}

func (webhooks) Name() string { return "webhooks in disorder" }

func (webhooks) Strike(ctx context.Context, c *cluster.Cluster, random *rand.Rand,
) (func(context.Context) error, error) {
	kinds := []sandbox.FaultKind{sandbox.WebhookDuplicate, sandbox.WebhookDelay, sandbox.WebhookReorder}
	return harm(ctx, c, sandbox.Fault{
		Kind: kinds[random.IntN(len(kinds))], Probability: half, Seed: random.Uint64(),
		Delay: time.Duration(random.IntN(3000)) * time.Millisecond,
	})
}

func harm(ctx context.Context, c *cluster.Cluster, f sandbox.Fault) (func(context.Context) error, error) {
	if err := c.Provider.Harm(ctx, f); err != nil {
		return nil, ErrNoTarget // it is down
	}
	return func(ctx context.Context) error { return Heal(ctx, c) }, nil
}

// Heal disarms all faults of the payment provider, as soon as it can be reached.
func Heal(ctx context.Context, c *cluster.Cluster) error {
	for {
		err := c.Provider.Heal(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(healPoll)
	}
}

// providerKill ends the payment provider with SIGKILL. What it had acknowledged is there when it is started again.
type providerKill struct{}

func (providerKill) Name() string { return "payment provider killed" }

func (providerKill) Strike(_ context.Context, c *cluster.Cluster, _ *rand.Rand) (func(context.Context) error, error) {
	c.Provider.Kill()
	return func(ctx context.Context) error { return c.Provider.Start(ctx) }, nil
}

package torture

import (
	"context"
	"fmt"
	"time"

	"holdfast/internal/payment/sandbox"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
)

// quietLimit is how long the state may take to be read without a change meanwhile. Holds that expire change it.
const quietLimit = 3 * time.Minute

// readState reads the state, again if it changed meanwhile: rows, the provider's journal and the webhooks are read one
// after the other. A run that didn't settle is read once.
func readState(ctx context.Context, e Evidence) (state check.State, err error) {
	provider := sandbox.NewClient(sandbox.ClientConfig{URL: e.ProviderURL, Key: cluster.SandboxKey})
	for end := time.Now().Add(quietLimit); ; time.Sleep(settlePoll) {
		before, err := e.Progress(ctx)
		if err != nil {
			return state, err
		}
		if state, err = check.ReadAll(ctx, e.Databases, provider); err != nil {
			return state, err
		}
		if e.Webhooks != nil {
			received := e.Webhooks()
			state.Deliveries = make([]check.Delivery, len(received))
			for i, w := range received {
				state.Deliveries[i] = check.Delivery(w)
			}
		}
		after, err := e.Progress(ctx)
		if err != nil {
			return state, err
		}
		switch {
		case !e.Settled || before == after && after.Open == (cluster.Open{}):
			return state, nil
		case time.Now().After(end):
			return state, fmt.Errorf("the state still changes after %s: %s", quietLimit, after.Open)
		}
	}
}

// Judge is the Check of a run: see package check. It judges what has settled and has nothing to say under load.
func Judge(ctx context.Context, e Evidence) ([]Violation, error) {
	if !e.Final {
		return nil, nil
	}
	state, err := readState(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("judge the run: %w", err)
	}
	found := check.Check(e.Operations, state)
	violations := make([]Violation, len(found))
	for i, v := range found {
		violations[i] = Violation(v)
	}
	return violations, nil
}

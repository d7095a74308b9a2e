package torture

import (
	"context"
	"fmt"

	"holdfast/internal/payment/sandbox"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
)

// Judge is the Check of a run: see package check. It judges what has settled and has nothing to say under load.
func Judge(ctx context.Context, e Evidence) ([]Violation, error) {
	if !e.Final {
		return nil, nil
	}
	state, err := check.Read(ctx, e.DatabaseURL, sandbox.NewClient(sandbox.ClientConfig{URL: e.ProviderURL, Key: cluster.SandboxKey}))
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

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"holdfast/internal/servertest"
)

// Build compiles the server into dir and returns the program's path. It is the server as it is, but that its clock can
// be set wrong when it starts. Go's build cache makes every build but the first a quick one.
func Build(ctx context.Context, dir string) (string, error) {
	if strings.Contains(os.Getenv("GOFLAGS"), "-overlay=") {
		return servertest.Build(ctx, dir) // make test has built package time with the overlay already
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find Go's sources: %w", err)
	}
	overlay, err := servertest.ClockOverlay(strings.TrimSpace(string(goroot)), dir)
	if err != nil {
		return "", fmt.Errorf("prepare the server's clock: %w", err)
	}
	return servertest.Build(ctx, dir, "-overlay", overlay)
}

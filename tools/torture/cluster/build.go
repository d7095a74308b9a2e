package cluster

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"holdfast/internal/servertest"
)

// clockVariable is how far ahead of the machine's a server's clock is, as a time.Duration's text; negative for behind.
const clockVariable = "TORTURE_CLOCK_OFFSET"

// clockSource is added to Go's package time in the server that is tortured. A static binary asks the kernel itself, so
// that nothing that is preloaded could change its clock; and what every library sees must change, not our code alone.
//
//go:embed clock.go.txt
var clockSource string

// The place in package time where a moment begins, before and after.
const (
	nowSource    = "sec, nsec, mono := runtimeNow()\n"
	nowSetSource = "sec, nsec, mono := runtimeNow()\n\tsec += clockOffset()\n"
)

// Build compiles the server into dir and returns the program's path. It is the server as it is, but that its clock can be
// set wrong when it starts. Go's build cache makes every build but the first a quick one.
func Build(ctx context.Context, dir string) (string, error) {
	overlay, err := clockOverlay(ctx, dir)
	if err != nil {
		return "", fmt.Errorf("prepare the server's clock: %w", err)
	}
	return servertest.Build(ctx, dir, "-overlay", overlay)
}

// clockOverlay writes what the build takes instead of package time, and returns the file that says so.
func clockOverlay(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find Go's sources: %w", err)
	}
	sources := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	content, err := os.ReadFile(filepath.Join(sources, "time.go")) //nolint:gosec // G304: Go's own source
	if err != nil {
		return "", err
	}
	if strings.Count(string(content), nowSource) != 1 {
		return "", errors.New("this version of Go reads its clock in another way: look at time.Now")
	}
	replaced := map[string]string{}
	for name, text := range map[string]string{
		"time.go": strings.Replace(string(content), nowSource, nowSetSource, 1), "clock.go": clockSource,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
		replaced[filepath.Join(sources, name)] = file
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, encoded, 0o600)
}

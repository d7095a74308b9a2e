package servertest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// Build compiles the server into dir, an absolute path, and returns the program's path. flags are added to those of go
// build. The working directory must be inside Holdfast's module or inside a module that requires it.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	root, err := runGo(ctx, "", "list", "-m", "-f", "{{.Dir}}", "holdfast")
	if err != nil {
		return "", fmt.Errorf("find the server's sources: %w", err)
	}
	program := filepath.Join(dir, "holdfast")
	args := slices.Concat([]string{"build", "-buildvcs=false", "-o", program}, flags, []string{"./cmd/holdfast"})
	if _, err := runGo(ctx, root, args...); err != nil {
		return "", fmt.Errorf("build the server: %w", err)
	}
	return program, nil
}

// runGo runs a Go command in dir and returns what it prints, without the last line's end.
func runGo(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // G204: the arguments are ours
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", cmd, err, stderr.Bytes())
	}
	return string(bytes.TrimSpace(stdout)), nil
}

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
// build. The program doesn't know the directory of its sources, so that those of two directories can be compared. The
// working directory must be inside Holdfast's module or inside a module that requires it.
func Build(ctx context.Context, dir string, flags ...string) (string, error) {
	root, err := Root(ctx)
	if err != nil {
		return "", err
	}
	return build(ctx, root, dir, flags...)
}

// Root returns the directory of the server's sources. The working directory is as for Build.
func Root(ctx context.Context) (string, error) {
	root, err := run(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "holdfast")
	if err != nil {
		return "", fmt.Errorf("find the server's sources: %w", err)
	}
	return root, nil
}

// BuildCommit is Build for a commit of the repository that the working directory is in.
func BuildCommit(ctx context.Context, dir, commit string, flags ...string) (string, error) {
	tree := filepath.Join(dir, "tree")
	root, err := run(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err == nil {
		commit, err = Resolve(ctx, commit)
	}
	if err == nil {
		_, err = run(ctx, root, "git", "clone", "--quiet", "--shared", "--no-checkout", root, tree)
	}
	if err == nil {
		_, err = run(ctx, tree, "git", "checkout", "--quiet", "--detach", commit)
	}
	if err != nil {
		return "", fmt.Errorf("check out the server's sources: %w", err)
	}
	return build(ctx, tree, dir, flags...)
}

// Resolve returns the hash of a commit of the repository that the working directory is in.
func Resolve(ctx context.Context, commit string) (string, error) {
	return run(ctx, "", "git", "rev-parse", "--verify", "--end-of-options", commit+"^{commit}")
}

func build(ctx context.Context, root, dir string, flags ...string) (string, error) {
	program := filepath.Join(dir, "holdfast")
	args := slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-o", program}, flags,
		[]string{"./cmd/holdfast"})
	if _, err := run(ctx, root, "go", args...); err != nil {
		return "", fmt.Errorf("build the server: %w", err)
	}
	return program, nil
}

// run runs a command in dir and returns what it prints, without the last line's end.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	// No shell reads the arguments, and a commit is resolved to its hash first.
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // G204: as said above
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", cmd, err, stderr.Bytes())
	}
	return string(bytes.TrimSpace(stdout)), nil
}

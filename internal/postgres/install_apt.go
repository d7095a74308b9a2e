package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const aptTimeout = 10 * time.Minute

// installWithApt installs Debian's package. It changes the system, and Debian makes and starts a cluster of its own
// with it, which Holdfast leaves alone.
func installWithApt(ctx context.Context, _ account, major int) error {
	if os.Geteuid() != 0 {
		return errors.New("it needs root")
	}
	aptGet, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("it is not on PATH")
	}
	packageName := "postgresql"
	if major != 0 {
		packageName = fmt.Sprintf("postgresql-%d", major)
	}
	ctx, cancel := context.WithTimeout(ctx, aptTimeout)
	defer cancel()
	install := []string{"install", "-y", "--no-install-recommends", packageName}
	if err := apt(ctx, aptGet, install...); err == nil {
		return nil
	}
	if err := apt(ctx, aptGet, "update"); err != nil {
		return err
	}
	return apt(ctx, aptGet, install...)
}

func apt(ctx context.Context, aptGet string, args ...string) error {
	cmd := exec.CommandContext(ctx, aptGet, args...)
	// Interrupted, not killed: dpkg must be able to finish the step it is at.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}

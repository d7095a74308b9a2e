// Command clock writes the overlay with which go build makes programs whose clock can be set: see
// servertest.ClockOverlay. It writes into the directory that it is given, and prints the path of the overlay.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"holdfast/internal/servertest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	goroot, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go's sources: %w", err)
	}
	overlay, err := servertest.ClockOverlay(strings.TrimSpace(string(goroot)), os.Args[1])
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(overlay + "\n")
	return err
}

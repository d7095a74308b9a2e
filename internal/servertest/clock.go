package servertest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// clockVariable is how far ahead of the machine's clock the clock of a program is that was built with ClockOverlay, as the text of a
// time.Duration in whole seconds; negative for behind.
const clockVariable = "TEST_CLOCK_OFFSET"

// ClockAhead returns the variable, as NAME=value, with which a program that was built with ClockOverlay runs ahead of this process's clock by
// offset, or behind it if that is negative. Parts of a second are left out.
func ClockAhead(offset time.Duration) string {
	own, _ := time.ParseDuration(os.Getenv(clockVariable)) // zero if this process has the machine's clock
	return clockVariable + "=" + (own + offset).String()
}

// clockSource is added to Go's package time. A static binary asks the kernel itself, so nothing that is preloaded could change its clock; and the
// clock must change for every library, not for our code alone.
//
//go:embed clock.go.txt
var clockSource string

// The place in package time where a moment begins, before and after.
const (
	nowSource    = "sec, nsec, mono := runtimeNow()\n"
	nowSetSource = "sec, nsec, mono := runtimeNow()\n\tsec += clockOffset()\n"
)

// ClockOverlay writes into dir what go build takes, with -overlay, instead of package time, and returns the file that says so. goroot is the
// directory of Go, as go env GOROOT prints it.
func ClockOverlay(goroot, dir string) (string, error) {
	sources := filepath.Join(goroot, "src", "time")
	content, err := os.ReadFile(filepath.Join(sources, "time.go")) //nolint:gosec // G304: Go's own source
	if err != nil {
		return "", fmt.Errorf("read Go's package time: %w", err)
	}
	if strings.Count(string(content), nowSource) != 1 {
		return "", errors.New("this version of Go reads its clock in another way: look at time.Now")
	}
	replaced := map[string]string{}
	for name, text := range map[string]string{
		"time.go": strings.Replace(string(content), nowSource, nowSetSource, 1), "clock.go": clockSource,
	} {
		file, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			return "", fmt.Errorf("find the directory of the overlay: %w", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("write the overlay: %w", err)
		}
		replaced[filepath.Join(sources, name)] = file
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", fmt.Errorf("encode the overlay: %w", err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, encoded, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return overlay, nil
}

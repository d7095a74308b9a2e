package servertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// clockVariable is how far ahead of the machine's clock the clock of a program is that was built with ClockOverlay, as
// the text of a time.Duration in whole seconds; negative for behind.
const clockVariable = "TEST_CLOCK_OFFSET"

// ClockAhead returns the variable, as NAME=value, with which a program that was built with ClockOverlay runs ahead of
// this process's clock by offset, or behind it if that is negative. Parts of a second are left out.
func ClockAhead(offset time.Duration) string {
	own, _ := time.ParseDuration(os.Getenv(clockVariable)) // zero if this process has the machine's clock
	return clockVariable + "=" + (own + offset).String()
}

// edits are made in Go's source time.go, each once. A static binary asks the kernel itself, so nothing that is
// preloaded could change its clock; and the clock must change for every library, not for our code alone. The overlay
// adds no file, because golangci-lint finds none that isn't there.
var edits = []struct{ old, by string }{
	{"import (\n", "import (\n\t\"sync\"\n\t\"syscall\"\n"},
	{"sec, nsec, mono := runtimeNow()\n", "sec, nsec, mono := runtimeNow()\n\tsec += clockOffset()\n"},
}

// clockSource is appended. It reads the variable when a process first asks for the time.
const clockSource = `
// clockOffset is how many seconds the clock of this process is ahead of the machine's.
var clockOffset = sync.OnceValue(func() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	offset, _ := ParseDuration(text)
	return int64(offset / Second)
})
`

// ClockOverlay writes into dir what go build takes, with -overlay, instead of package time, and returns the file that
// says so. goroot is the directory of Go, as go env GOROOT prints it.
func ClockOverlay(goroot, dir string) (string, error) {
	source := filepath.Join(goroot, "src", "time", "time.go")
	content, err := os.ReadFile(source) //nolint:gosec // G304: Go's own source
	if err != nil {
		return "", fmt.Errorf("read Go's package time: %w", err)
	}
	text := string(content)
	for _, e := range edits {
		if strings.Count(text, e.old) != 1 {
			return "", fmt.Errorf("this version of Go reads its clock in another way: %s has no %q", source, e.old)
		}
		text = strings.Replace(text, e.old, e.by, 1)
	}
	file, err := filepath.Abs(filepath.Join(dir, "time.go"))
	if err != nil {
		return "", fmt.Errorf("find the directory of the overlay: %w", err)
	}
	if err := os.WriteFile(file, []byte(text+clockSource), 0o600); err != nil { //nolint:gosec // G703: the caller names the directory
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	replaced := map[string]string{source: file}
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

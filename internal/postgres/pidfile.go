package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The lines of postmaster.pid (src/include/utils/pidfile.h), counted from 0.
const (
	pidfileName       = "postmaster.pid"
	pidfilePIDLine    = 0
	pidfileStatusLine = 7
	pidfileReady      = "ready"
)

// readPidfile returns the pid in a cluster's postmaster.pid, 0 if there is none, and the postmaster's status.
func readPidfile(dataDir string) (pid int, status string) {
	content, err := os.ReadFile(filepath.Join(dataDir, pidfileName))
	if err != nil {
		return 0, ""
	}
	lines := strings.Split(string(content), "\n")
	// A standalone backend writes its pid as a negative number.
	// A signal to a pid below 0 would go to a group of processes.
	if pid, err = strconv.Atoi(strings.TrimPrefix(lines[pidfilePIDLine], "-")); err != nil || pid <= 0 {
		return 0, ""
	}
	if len(lines) > pidfileStatusLine {
		status = strings.TrimSpace(lines[pidfileStatusLine])
	}
	return pid, status
}

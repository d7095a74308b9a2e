//go:build !linux

package postgres

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

func listProcesses(ctx context.Context) ([]process, error) {
	output, err := exec.CommandContext(ctx, "ps", "-axwwo", "pid=,uid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var processes []process
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		pid, pidErr := strconv.Atoi(fields[0])
		uid, uidErr := strconv.ParseUint(fields[1], 10, 32)
		if pidErr == nil && uidErr == nil {
			processes = append(processes, process{pid: pid, uid: uint32(uid), command: strings.Join(fields[2:], " ")})
		}
	}
	return processes, nil
}

// worksIn can't be told here; the command line has to do.
func (p process) worksIn(string) bool { return false }

// dieWithParent does nothing: only Linux tells a child of its parent's death. The next start on the
// directory ends a database that outlived its server.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

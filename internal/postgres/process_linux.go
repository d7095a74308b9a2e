package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// listProcesses reads /proc. Only what everybody may read is used: root in a container often lacks the
// right to look at another user's process any closer.
func listProcesses(context.Context) ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var processes []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join("/proc", entry.Name())
		info, err := os.Stat(dir)
		if err != nil {
			continue // ended meanwhile
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		stat, ok := info.Sys().(*syscall.Stat_t)
		if err != nil || !ok || len(line) == 0 {
			continue
		}
		command := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		processes = append(processes, process{pid: pid, uid: stat.Uid, command: command})
	}
	return processes, nil
}

// worksIn reports whether the process is known to have dir as its working directory.
func (p process) worksIn(dir string) bool {
	cwd, err := os.Stat(fmt.Sprintf("/proc/%d/cwd", p.pid))
	if err != nil {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(cwd, info)
}

// dieWithParent has the kernel send the child a signal when the thread that starts it ends.
func dieWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

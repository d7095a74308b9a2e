package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what processes have used since they began.
type usage struct {
	process  time.Duration // CPU of the one that does the work
	database time.Duration // CPU of PostgreSQL's processes
	other    time.Duration // CPU of what stands around it: the generator of load, Redis
	mallocs  uint64        // of this process
	bytes    uint64
}

// meter reads usage. CPU is known on Linux only; elsewhere it is zero.
type meter struct {
	postmaster int
	process    func() time.Duration
	other      func() time.Duration
}

func (m meter) read() usage {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := usage{process: m.process(), database: databaseCPU(m.postmaster), mallocs: memory.Mallocs,
		bytes: memory.TotalAlloc}
	if m.other != nil {
		u.other = m.other()
	}
	return u
}

// selfCPU is the CPU time of this process.
func selfCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// tick is the unit of CPU times in /proc/*/stat.
const tick = 10 * time.Millisecond

// stat are the fields of /proc/PID/stat that are used here.
type stat struct {
	parent        int
	own, children time.Duration // CPU of the process, and of its children that have ended
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name, in parentheses, may contain anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i])
		return n
	}
	return stat{
		parent: number(1), own: time.Duration(number(11)+number(12)) * tick,
		children: time.Duration(number(13)+number(14)) * tick,
	}, nil
}

// cpuOf returns a function that tells the CPU time of a process.
func cpuOf(pid int) func() time.Duration {
	return func() time.Duration {
		s, err := readStat(pid)
		if err != nil {
			return 0
		}
		return s.own
	}
}

// databaseCPU is the CPU time of the postmaster, of its children, and of those that have ended.
func databaseCPU(postmaster int) time.Duration {
	s, err := readStat(postmaster)
	if err != nil {
		return 0
	}
	total := s.own + s.children
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if s, err := readStat(pid); err == nil && s.parent == postmaster {
			total += preciseCPU(pid, s.own)
		}
	}
	return total
}

// preciseCPU returns the CPU time of a process with one thread, in nanoseconds where the kernel counts them and else in
// the ticks that are given. Ticks are coarse for thirty backends over a second.
func preciseCPU(pid int, ticks time.Duration) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return ticks
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return ticks
	}
	return time.Duration(n)
}

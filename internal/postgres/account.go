package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// account is the user that the database's processes run as.
type account struct {
	uid, gid uint32
	// drop says that this process is root and hands its children to the account.
	drop bool
}

// chooseAccount picks the user to run as: this process's own unless it is root, else the owner of the
// existing cluster, else "postgres" or "nobody".
func chooseAccount(dataDir string) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	var stat unix.Stat_t
	if err := unix.Stat(dataDir, &stat); err == nil && stat.Uid != 0 {
		return account{uid: stat.Uid, gid: stat.Gid, drop: true}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{uid: uint32(uid), gid: uint32(gid), drop: true}, nil
		}
	}
	return account{}, errors.New(`PostgreSQL does not run as root and there is neither a user "postgres" nor "nobody"`)
}

// command completes cmd so that it runs as the account, in a process group of its own (Ctrl-C must not
// reach the database before the server has drained), with an environment of its own (no secrets of the
// server's, no PGDATA) and in a directory that everybody can enter.
func (a account) command(cmd *exec.Cmd, deathSignal syscall.Signal) {
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=" + locale(), "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	dieWithParent(cmd.SysProcAttr, deathSignal)
}

// run runs a short-lived program as the account and returns what it printed.
func (a account) run(cmd *exec.Cmd) ([]byte, error) {
	a.command(cmd, syscall.SIGKILL)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// The parent that the kernel watches for the death signal is a thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return cmd.CombinedOutput()
}

// passDir returns the name under which cmd, run as the account, reaches dir: its path, or, if the account
// may not enter one of its parents, the inherited descriptor. close is to be called once cmd has started.
func (a account) passDir(cmd *exec.Cmd, dir string) (name string, closeDir func(), err error) {
	blocked := a.blockedBy(dir)
	if blocked == "" {
		return dir, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, fmt.Errorf("the user the database runs as (uid %d) can't enter %s: set HOLDFAST_DATA_DIR to a directory outside it",
			a.uid, blocked)
	}
	file, err := os.Open(dir)
	if err != nil {
		return "", nil, fmt.Errorf("open a directory for the database: %w", err)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	name = fmt.Sprintf("/proc/self/fd/%d", 2+len(cmd.ExtraFiles))
	return name, func() { _ = file.Close() }, nil
}

// blockedBy returns the first directory on the way to path that the account can't enter, "" if none. It
// goes by the permission bits; path itself is the account's own business.
func (a account) blockedBy(path string) string {
	if !a.drop {
		return ""
	}
	blocked := ""
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if !a.canEnter(dir) {
			blocked = dir
		}
		if dir == filepath.Dir(dir) {
			return blocked
		}
	}
}

func (a account) canEnter(dir string) bool {
	var stat unix.Stat_t
	switch err := unix.Stat(dir, &stat); {
	case err != nil:
		return false
	case stat.Uid == a.uid:
		return stat.Mode&unix.S_IXUSR != 0
	case stat.Gid == a.gid:
		return stat.Mode&unix.S_IXGRP != 0
	default:
		return stat.Mode&unix.S_IXOTH != 0
	}
}

// mkdir makes a directory that only the account can enter.
func (a account) mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if !a.drop {
		return nil
	}
	return os.Lchown(dir, int(a.uid), int(a.gid))
}

// owns reports whether path is a real directory of the account's that nobody else can enter.
func (a account) owns(path string) bool {
	var stat unix.Stat_t
	err := unix.Lstat(path, &stat)
	return err == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR && stat.Mode&0o077 == 0 && stat.Uid == a.uid
}

// adopt hands a cluster that belongs to root (a copy, a restored backup) to the account. One of another
// user is refused: PostgreSQL runs only as the owner.
func (a account) adopt(dataDir string) error {
	var stat unix.Stat_t
	if err := unix.Stat(dataDir, &stat); err != nil {
		return fmt.Errorf("look at the cluster %s: %w", dataDir, err)
	}
	switch {
	case stat.Uid == a.uid:
		return nil
	case stat.Uid != 0 || !a.drop:
		return fmt.Errorf("the cluster %s belongs to uid %d and this process runs it as uid %d: run Holdfast as its owner or change the "+
			"owner with chown -R", dataDir, stat.Uid, a.uid)
	}
	err := filepath.WalkDir(dataDir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		//nolint:gosec // G122: until now only root could write in this directory
		return os.Lchown(path, int(a.uid), int(a.gid))
	})
	if err != nil {
		return fmt.Errorf("hand the cluster to the user the database runs as: %w", err)
	}
	return nil
}

// Unprivileged makes cmd run as embedded databases do: as this process's user or, if that is root, as "postgres" or
// "nobody"; in a process group of its own; and ended by the kernel, on Linux, when the thread that starts it ends. It
// returns the user and the group that the files of cmd have to belong to. Tests start the companions of a database
// with it: poolers and standbys.
func Unprivileged(cmd *exec.Cmd) (uid, gid int, err error) {
	who, err := chooseAccount("")
	if err != nil {
		return 0, 0, err
	}
	who.command(cmd, syscall.SIGQUIT)
	return int(who.uid), int(who.gid), nil
}

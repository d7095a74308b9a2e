package postgres

import (
	"os/exec"
	"syscall"
)

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

package servertest

import "syscall"

// attributes keep Ctrl-C from the process, and have the kernel kill it when the thread that starts it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

package postgres

import "syscall"

// dieWithParent has the kernel send the child a signal when the thread that starts it ends.
func dieWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

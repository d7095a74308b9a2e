//go:build !linux

package servertest

import "syscall"

// attributes are none: Ctrl-C ends the process with the one that started it.
func attributes() *syscall.SysProcAttr { return nil }

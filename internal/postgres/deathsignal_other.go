//go:build !linux

package postgres

import "syscall"

// dieWithParent does nothing: only Linux tells a child of its parent's death. The next start on the
// directory ends a database that outlived its server.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}

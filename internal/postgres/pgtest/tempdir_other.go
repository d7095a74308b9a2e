//go:build !linux

package pgtest

import "os"

func tempDir() string { return os.TempDir() }

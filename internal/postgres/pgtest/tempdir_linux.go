package pgtest

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	memoryDir = "/dev/shm"
	// minMemory is what has to be free there; a container often has only 64 MB.
	minMemory = 2 << 30
)

// tempDir returns the directory for clusters: HOLDFAST_TEST_DIR where it is set, for tests that need more room than
// memory has; else in memory if there is room, because a clone is 300 small files, which take a disk's file system up
// to 0.1 s to make and memory 5 ms.
func tempDir() string {
	if dir := os.Getenv("HOLDFAST_TEST_DIR"); dir != "" {
		return dir
	}
	var stat unix.Statfs_t
	err := unix.Statfs(memoryDir, &stat)
	inMemory := err == nil && stat.Type == unix.TMPFS_MAGIC && stat.Bavail*uint64(stat.Bsize) >= minMemory
	if inMemory && unix.Access(memoryDir, unix.W_OK) == nil {
		return memoryDir
	}
	return os.TempDir()
}

package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	socketPort = "5432"
	socketFile = ".s.PGSQL." + socketPort
	// maxSocketPath is what macOS allows, 4 bytes less than Linux's 107.
	maxSocketPath = 103
)

// makeSocketDir makes the directory of the socket: "run" in dir if the socket's path is short enough (and
// has no comma, which would make it a list to PostgreSQL and to its clients), else one under the temporary
// directory. Whatever lies there already has to be the account's own, or another user
// else could listen in the database's place.
func makeSocketDir(dir, name string, who account) (string, error) {
	path := filepath.Join(dir, "run")
	if len(filepath.Join(path, socketFile)) > maxSocketPath || strings.Contains(path, ",") {
		path = filepath.Join(os.TempDir(), name)
	}
	if length := len(filepath.Join(path, socketFile)); length > maxSocketPath {
		return "", fmt.Errorf("the socket's path under %s would be %d bytes long, %d are allowed: set TMPDIR or HOLDFAST_DATA_DIR to a "+
			"shorter path", path, length, maxSocketPath)
	}
	if err := who.mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the socket's directory: %w", err)
	}
	if !who.owns(path) {
		return "", fmt.Errorf("the socket's directory %s must be a directory of uid %d with mode 0700: remove it", path,
			who.uid)
	}
	// No postmaster of this cluster is alive here: its lock file would only name a recycled pid.
	for _, file := range []string{socketFile, socketFile + ".lock"} {
		if err := os.Remove(filepath.Join(path, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("remove a stale socket: %w", err)
		}
	}
	return path, nil
}

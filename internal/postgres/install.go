package postgres

import (
	"os"
	"path/filepath"
)

const installedPrefix = "postgresql-"

// cacheDirs are the directories an installation may go to, in order of preference. Root's must be one that
// the user the database runs as can enter, which root's own cache is not.
func cacheDirs(dir string) []string {
	if os.Geteuid() == 0 {
		return []string{"/var/cache/holdfast", dir}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		return []string{filepath.Join(cache, "holdfast"), dir}
	}
	return []string{dir}
}

func installedGlob(cache string) string { return filepath.Join(cache, installedPrefix+"*", "bin") }

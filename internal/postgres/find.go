package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// minMajor is the oldest usable version: the first with multiranges.
const minMajor = 14

// programs is a directory with the programs of one PostgreSQL version.
type programs struct {
	dir   string
	major int
}

func (p programs) path(name string) string { return filepath.Join(p.dir, name) }

// finder says where PostgreSQL is looked for, and what installs it when it isn't there.
type finder struct {
	pgBin      string   // PG_BIN: if set, nothing else is considered
	globs      []string // directories of programs, in order of preference
	lookPath   bool
	installers []installer
}

// installer puts PostgreSQL where one of the finder's globs finds it: of the given major version, or of
// any if that is 0.
type installer struct {
	name    string
	install func(ctx context.Context, who account, major int) error
}

func newFinder(dir string, install bool) *finder {
	f := &finder{
		pgBin: os.Getenv("PG_BIN"),
		globs: []string{
			"/usr/lib/postgresql/*/bin", // Debian
			"/usr/pgsql-*/bin",          // Red Hat
			"/usr/libexec/postgresql*",  // Alpine
			"/usr/local/pgsql/bin",
			"/opt/homebrew/opt/postgresql@*/bin",
			"/usr/local/opt/postgresql@*/bin",
			"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		},
		lookPath: true,
	}
	caches := cacheDirs(dir)
	for _, cache := range caches {
		f.globs = append(f.globs, installedGlob(cache))
	}
	if install {
		f.installers = []installer{{name: "apt-get", install: installWithApt}, npmInstaller(caches)}
	}
	return f
}

// programs returns the newest usable programs of the first place that has any. major restricts it to one
// major version, 0 does not.
func (f *finder) programs(ctx context.Context, who account, major int, logger *slog.Logger) (programs, error) {
	found, reasons := f.search(ctx, who, major)
	for _, i := range f.installers {
		if found.dir != "" || f.pgBin != "" {
			break
		}
		if err := ctx.Err(); err != nil {
			return programs{}, fmt.Errorf("look for PostgreSQL: %w", err)
		}
		logger.InfoContext(ctx, "no PostgreSQL found, installing it", "with", i.name)
		if err := i.install(ctx, who, major); err != nil {
			reasons = append(reasons, fmt.Errorf("install it with %s: %w", i.name, err))
			continue
		}
		var again []error
		if found, again = f.search(ctx, who, major); found.dir == "" {
			reasons = append(append(reasons, fmt.Errorf("%s installed none that is usable", i.name)), again...)
		}
	}
	if found.dir != "" {
		return found, nil
	}
	if major != 0 {
		return programs{}, fmt.Errorf("%w: the cluster %s needs PostgreSQL %d: install that version or upgrade the cluster: %w",
			ErrNoBinaries, dataName(major), major, errors.Join(reasons...))
	}
	return programs{}, fmt.Errorf("%w of version %d or newer: install PostgreSQL (Debian: apt-get install postgresql; macOS: brew "+
		"install postgresql@18), "+
		"set PG_BIN to the directory of its programs, or set HOLDFAST_DATABASE_URL: %w", ErrNoBinaries, minMajor,
		errors.Join(reasons...))
}

func (f *finder) search(ctx context.Context, who account, major int) (programs, []error) {
	if f.pgBin != "" {
		found, err := probe(ctx, who, f.pgBin, major)
		if err != nil {
			return programs{}, []error{fmt.Errorf("PG_BIN: %w", err)}
		}
		return found, nil
	}
	var reasons []error
	places := make([][]string, 0, len(f.globs)+1)
	for _, glob := range f.globs {
		dirs, err := filepath.Glob(glob)
		if err != nil {
			reasons = append(reasons, fmt.Errorf("look in %s: %w", glob, err))
		}
		if len(dirs) == 0 {
			reasons = append(reasons, fmt.Errorf("nothing in %s", glob))
		}
		places = append(places, dirs)
	}
	if f.lookPath {
		if postgres, err := exec.LookPath("postgres"); err != nil {
			reasons = append(reasons, errors.New("postgres is not on PATH"))
		} else {
			places = append(places, []string{filepath.Dir(postgres)})
		}
	}
	for _, dirs := range places {
		var newest programs
		for _, dir := range dirs {
			found, err := probe(ctx, who, dir, major)
			if err != nil {
				reasons = append(reasons, err)
			} else if found.major > newest.major {
				newest = found
			}
		}
		if newest.dir != "" {
			return newest, nil
		}
	}
	return programs{}, reasons
}

// probe finds out whether the programs in dir are complete, run on this machine as the account, and are of
// the version asked for.
func probe(ctx context.Context, who account, dir string, major int) (programs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return programs{}, fmt.Errorf("look in %s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return programs{}, fmt.Errorf("no initdb: %w", err)
	}
	postgres := filepath.Join(dir, "postgres")
	if blocked := who.blockedBy(postgres); blocked != "" {
		return programs{}, fmt.Errorf("%s: the user the database runs as (uid %d) can't enter %s", dir, who.uid,
			blocked)
	}
	output, err := who.run(exec.CommandContext(ctx, postgres, "--version"))
	if err != nil {
		return programs{}, fmt.Errorf("run %s --version: %w: %s", postgres, err, output)
	}
	number := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindSubmatch(output)
	if number == nil {
		return programs{}, fmt.Errorf("%s --version says %q", postgres, output)
	}
	found, err := strconv.Atoi(string(number[1]))
	switch {
	case err != nil:
		return programs{}, fmt.Errorf("%s --version says %q", postgres, output)
	case found < minMajor:
		return programs{}, fmt.Errorf("%s is of version %d", dir, found)
	case major != 0 && found != major:
		return programs{}, fmt.Errorf("%s is of version %d, not %d", dir, found, major)
	}
	return programs{dir: dir, major: found}, nil
}

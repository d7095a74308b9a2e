// Command lockslint compares Holdfast's code with docs/locks-registry.md, the page that lists its PostgreSQL advisory
// locks. Each line that it prints is a place, what is wrong there, and what to do. README.md says what it checks, and
// what it doesn't.
//
// Tests aren't read: they act as other programs. It exits with 0 when nothing is wrong, 1 when something is, and 2 when
// it can't tell.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("lockslint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("C", ".", "check the module whose go.mod is in this `directory`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		_, _ = fmt.Fprintln(stderr, "lockslint checks the whole module and takes no packages")
		return 2
	}
	found, err := lint(ctx, *root)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "lockslint:", err)
		return 2
	}
	for _, f := range found {
		_, _ = fmt.Fprintln(stdout, f)
	}
	if len(found) > 0 {
		return 1
	}
	return 0
}

// lint compares the module in root with its registry. While the registry can't be read, that is all that it finds.
func lint(ctx context.Context, root string) ([]finding, error) {
	page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(registryPath)))
	if err != nil {
		return nil, err
	}
	registry, unread := parseRegistry(string(page))
	if unread != nil {
		return unread, nil
	}
	code, err := readCode(root)
	if err != nil {
		return nil, err
	}
	libraries, err := readLibraries(ctx, root)
	if err != nil {
		return nil, err
	}
	c := &check{findings: &findings{}, registry: registry, code: code, libraries: libraries}
	c.all()
	return c.sorted(), nil
}

// Command lockslint checks that a Go module takes no PostgreSQL advisory lock that isn't in its lock registry, that
// the registry lists none that the module doesn't have, and that locks are taken the way they work.
//
//	lockslint [flags] [./...]          checks the whole module, from any of its directories or with -C from elsewhere
//	go vet -vettool=lockslint ./...    checks packages; not SQL files, the registry by itself, or other modules
//
// The registry is a Markdown page, docs/locks-registry.md unless -registry says otherwise. Tests aren't checked: they
// act as other programs. It exits with 0 when nothing is wrong, 1 when something is, 2 when it couldn't check.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"holdfast/tools/lockslint/internal/rules"
)

func main() {
	if underVet(os.Args[1:]) {
		unitchecker.Main(rules.NewAnalyzer())
		return
	}
	os.Exit(run(".", os.Args[1:], os.Stdout, os.Stderr))
}

// underVet reports whether go vet runs the command: it asks for its version and flags, then hands it a .cfg file.
func underVet(args []string) bool {
	for _, a := range args {
		if a == "-flags" || strings.HasPrefix(a, "-V") || strings.HasSuffix(a, ".cfg") {
			return true
		}
	}
	return false
}

// run is the command in a directory. It returns the exit code.
func run(dir string, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("lockslint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	at := flags.String("C", ".", "check the module that this `directory` is in")
	registryPath := flags.String("registry", rules.DefaultRegistry, "the registry's `path` from the module's root")
	fix := flags.Bool("fix", false, "write the right files into the registry's references")
	asJSON := flags.Bool("json", false, "print findings as JSON")
	asSARIF := flags.Bool("sarif", false, "print findings as SARIF 2.1.0")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: lockslint [flags] [./...]\n\nChecks the whole module against its lock registry.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 1 || flags.NArg() == 1 && flags.Arg(0) != "./..." {
		_, _ = fmt.Fprintln(stderr, "lockslint: the registry is one for the whole module: run it in the module, with ./... or nothing")
		return 2
	}
	if !filepath.IsAbs(*at) {
		*at = filepath.Join(dir, *at)
	}
	found, err := lint(*at, *registryPath, *fix)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "lockslint:", err)
		return 2
	}
	write := writeText
	switch {
	case *asJSON:
		write = writeJSON
	case *asSARIF:
		write = writeSARIF
	}
	if err := write(stdout, found); err != nil {
		_, _ = fmt.Fprintln(stderr, "lockslint:", err)
		return 2
	}
	if len(found) > 0 {
		return 1
	}
	return 0
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	// the roots of public certificates, where the system has none, as in the image
	_ "golang.org/x/crypto/x509roots/fallback"

	"holdfast/internal/event"
	"holdfast/internal/timezone"
	"holdfast/internal/user"
)

// version is set by the build.
var version = "dev"

// cli is the command line. Every flag can be given as an environment variable as well.
type cli struct {
	Config

	Serve       serveCmd       `cmd:"" help:"Run the server: database, migrations, preflight checks, API."`
	Migrate     migrateCmd     `cmd:"" help:"Bring the database to the newest schema and exit."`
	CellsTool   cellsCmd       `cmd:"" name:"cells" help:"See cells, and move tenants between them."`
	Cleanup     cleanupCmd     `cmd:"" help:"Delete expired idempotency keys, on a timer or once."`
	Locks       locksCmd       `cmd:"" help:"Show who holds and who awaits which lock."`
	Doctor      doctorCmd      `cmd:"" help:"Check whether the database keeps what Holdfast relies on."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a server whether it is ready; exit with 1 if it isn't."`
	Reconcile   reconcileCmd   `cmd:"" help:"Compare payments with the provider's journal."`
	Events      eventsCmd      `cmd:"" help:"See and change what happens at a time, of all tenants."`
	Feed        feedCmd        `cmd:"" help:"Mend the feed of events after a restore or a failover that lost commits."`
	Wallets     walletsCmd     `cmd:"" help:"Check the wallets of all tenants against their entries, and mend them."`
	Tenant      tenantCmd      `cmd:"" help:"Manage tenants."`
	User        userCmd        `cmd:"" help:"Manage the people who sign in to a tenant's console."`
	OpenAPI     openAPICmd     `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Sandbox     sandboxCmd     `cmd:"" help:"Run the sandbox, a payment provider that moves no money."`
	Version     versionCmd     `cmd:"" help:"Print the version, and that of the time zone data."`
	Help        helpCmd        `cmd:"" help:"Print help on a topic."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runCommand(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "holdfast:", err)
		os.Exit(exitStatus(err))
	}
}

// exitStatus is 2 for a command line or a setting that can't be used, and for a comparison that could not be made; 1
// for any other failure, and for differences.
func exitStatus(err error) int {
	if _, unusable := errors.AsType[unusableError](err); unusable {
		return 2
	}
	return 1
}

// unusableError is the error of a command that could not begin its work, or could not find out what it was asked.
type unusableError struct{ error }

func (e unusableError) Unwrap() error { return e.error }

// runCommand reads the command line and the environment, refuses settings out of their range, and runs the command.
func runCommand(ctx context.Context, args []string) error {
	var c cli
	parser, err := newParser(&c)
	if err != nil {
		return err
	}
	k, err := parser.Parse(args)
	if err == nil {
		err = checkSettings(k.Flags())
	}
	if err != nil {
		return unusableError{err}
	}
	k.BindTo(ctx, (*context.Context)(nil))
	if c.Cells == "" || c.Cell != "" || c.Reconcile.Tenant != "" || !slices.Contains(commandsOverCells, k.Command()) {
		return k.Run(&c.Config)
	}
	return runInEachCell(k, &c.Config)
}

// commandsOverCells are the commands that run in each cell, one after the other, unless one is named.
var commandsOverCells = []string{"doctor", "events list", "events stats", "locks show", "migrate", "reconcile",
	"tenant list",
	"wallets verify"}

// runInEachCell runs a command in each cell, also after one in which it failed, and returns all errors.
func runInEachCell(k *kong.Context, c *Config) error {
	specs, err := c.cellSpecs()
	if err != nil {
		return err
	}
	headings := os.Stdout
	if slices.ContainsFunc(k.Flags(), func(f *kong.Flag) bool { return f.Name == "json" && f.Target.Bool() }) {
		headings = os.Stderr // what reads JSON doesn't read headings
	}
	var failed error
	for _, s := range specs {
		one := *c
		one.Cell = s.Name
		if _, err := fmt.Fprintf(headings, "cell %s:\n", s.Name); err != nil {
			return err
		}
		if err := k.Run(&one); err != nil {
			failed = errors.Join(failed, fmt.Errorf("cell %s: %w", s.Name, err))
		}
	}
	return failed
}

// newParser returns what reads the command line into c. Its errors are one line, with the name that is nearest to a
// mistyped one.
func newParser(c *cli, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append([]kong.Option{
		kong.Name("holdfast"),
		kong.Description("A booking backend that never sells a date twice."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Resolvers(secretFiles),
		kong.Vars{
			"event_statuses": strings.Join(event.Status("").Values(), ","),
			"roles":          strings.Join(user.Role("").Values(), ","),
		},
	}, options...)...)
}

type versionCmd struct{}

func (versionCmd) Run() error {
	zones, err := timezone.Version()
	if err != nil {
		return err
	}
	_, err = fmt.Printf("holdfast %s\ntime zones %s\n", version, zones)
	return err
}

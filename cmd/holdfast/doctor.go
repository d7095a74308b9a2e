package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/lockview"
)

type doctorCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run makes the checks that a server makes at its start, on the configured database, or on the embedded one, be it
// running or not, and more that only advise, and prints what each found. It fails if a check
// fails that a server makes. It doesn't migrate, and leaves no data.
func (cmd *doctorCmd) Run(ctx context.Context, c *Config) error {
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	st, err := app.OpenDB(ctx,
		db.Config{URL: local.url, DirectURL: local.direct, StandbyURL: local.standby, MaxConns: c.DatabaseConns,
			Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	results := append(preflight.Diagnose(ctx, st), checkWaits(ctx, st, log))
	if c.DatabaseURL == "" && c.Cells == "" { // the embedded database has one login, and nobody else uses it
		results = slices.DeleteFunc(results, func(r preflight.Result) bool { return r.Check == "login" })
	}
	if c.Cells != "" {
		results = append(results, c.checkIdentity(ctx, st))
	}
	if cmd.JSON {
		err = printJSON(results)
	} else {
		err = printResults(results)
	}
	if err != nil {
		return err
	}
	failed := 0
	for _, f := range results {
		if f.Result == preflight.Failed {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("doctor: %d of %d checks failed", failed, len(results))
	}
	return nil
}

// checkWaits says who keeps other sessions waiting, whatever the lock.
func checkWaits(ctx context.Context, st *db.DB, log *slog.Logger) preflight.Result {
	r := preflight.Result{Check: "waits", Result: preflight.OK, Meaning: "no session waits for a lock"}
	v, err := lockview.NewService(st, log).View(ctx)
	switch {
	case err != nil:
		r.Result, r.Meaning = preflight.Skipped, err.Error()
	case len(v.Blockers) > 0:
		b := v.Blockers[0]
		r.Result = preflight.Advice
		r.Meaning = fmt.Sprintf("%d sessions wait, for up to %s, behind process %d of %s (%s, %s), which holds %s",
			b.Waiting,
			duration(b.LongestMS), b.PID, b.User, printable(b.ApplicationName), b.State, strings.Join(b.Locks, ", "))
		r.Advice = fmt.Sprintf("look again: if it stays, SELECT pg_terminate_backend(%d) ends it; holdfast locks shows more", b.PID)
	}
	return r
}

// identityTimeout bounds the question to each other cell.
const identityTimeout = 2 * time.Second

// checkIdentity finds out whether another cell is the same database and schema as this one. A cell that doesn't answer
// is passed over.
func (c *Config) checkIdentity(ctx context.Context, st *db.DB) preflight.Result {
	r := preflight.Result{
		Check: "cell", Result: preflight.OK, Meaning: "no other cell that answers is this database and schema",
	}
	fail := func(err error) preflight.Result {
		r.Result, r.Meaning = preflight.Failed, err.Error()
		return r
	}
	identity, err := preflight.Identity(ctx, st)
	if err != nil {
		return fail(err)
	}
	m, _, closeStores, err := c.mover(ctx)
	if err != nil {
		return fail(err)
	}
	defer closeStores()
	for _, name := range m.Cells {
		if name == c.Cell {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, identityTimeout)
		other, err := preflight.Identity(limited, m.Databases[name])
		cancel()
		if err == nil && other == identity {
			return fail(app.SameCellError(name))
		}
	}
	return r
}

// printJSON prints the document of a command's --json.
func printJSON(v any) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// printResults prints a line for each check, and beneath it what to do, if there is something.
func printResults(results []preflight.Result) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CHECK\tRESULT\tWHAT IT MEANS, WHAT TO DO")
	for _, f := range results {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Check, f.Result, f.Meaning)
		if f.Advice != "" {
			_, _ = fmt.Fprintf(w, "\t\t→ %s\n", f.Advice)
		}
	}
	return w.Flush()
}

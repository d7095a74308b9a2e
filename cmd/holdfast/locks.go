package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/lockview"
	"holdfast/internal/postgres"
)

type locksCmd struct {
	Show    locksShowCmd    `cmd:"" default:"withargs" help:"Show the locks that are held and awaited (what locks alone does)."`
	Explain locksExplainCmd `cmd:"" help:"Say what a lock's name or key stands for."`
}

type locksShowCmd struct {
	JSON     bool          `name:"json" help:"Print what GET /admin/v1/locks answers, one line each time."`
	Watch    bool          `short:"w" help:"Show them again and again until Ctrl-C."`
	Interval time.Duration `short:"n" default:"2s" range:"100ms to 24h" help:"Time between two views of --watch, 100ms or more."`
}

// Run shows the locks of the configured database, or of the one of the server that runs in the data directory.
func (cmd *locksShowCmd) Run(ctx context.Context, c *Config) error {
	url, err := runningDatabase(c)
	if err != nil {
		return err
	}
	locks, closeLocks, err := openLocks(ctx, url, c.logger())
	if err != nil {
		return err
	}
	defer closeLocks()
	show := func() ([]byte, error) {
		v, err := locks.View(ctx)
		if err != nil {
			return nil, err
		}
		if cmd.JSON {
			return v.JSON()
		}
		return table(v)
	}
	if cmd.Watch {
		var size screen
		if !cmd.JSON {
			size = screenOf(os.Stdout)
		}
		return watch(ctx, os.Stdout, size, cmd.Interval, show)
	}
	text, err := show()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

// runningDatabase returns the address of the database that servers use now. One that nobody uses has no locks, so none
// is started.
func runningDatabase(c *Config) (string, error) {
	if c.Cells != "" {
		local, err := c.oneCell(nil)
		if err != nil {
			return "", err
		}
		return local.direct, nil
	}
	if c.DatabaseURL != "" {
		return cmp.Or(c.DirectDatabaseURL, c.DatabaseURL), nil
	}
	if url, ok := postgres.Running(c.DataDir); ok {
		return url, nil
	}
	return "", fmt.Errorf("no server runs in %s, and HOLDFAST_DATABASE_URL isn't set", c.DataDir)
}

// openLocks looks at locks over a connection of its own: others may all be waiting for one.
func openLocks(ctx context.Context, url string, log *slog.Logger,
) (locks *lockview.Service, closeLocks func(), err error) {
	st, err := app.OpenDB(ctx, db.Config{URL: url, MaxConns: 1, Logger: log})
	if err != nil {
		return nil, nil, err
	}
	return lockview.NewService(st, log), st.Close, nil
}

// sqlWidth is how much of a statement a table shows, in characters.
const sqlWidth = 60

// timeFormat is how a table tells the time.
const timeFormat = "2006-01-02 15:04:05 MST"

// table shows a view to people.
func table(v lockview.LocksBody) ([]byte, error) {
	w := new(bytes.Buffer)
	_, _ = fmt.Fprintf(w, "%s  locks: %d  waiting: %d\n", v.At.Format(timeFormat), len(v.Locks), v.Waiting)
	if err := blockers(w, v.Blockers); err != nil || len(v.Locks) == 0 && len(v.Longest) == 0 {
		return w.Bytes(), err
	}
	if len(v.Locks) == 0 {
		longest(w, v)
		return w.Bytes(), nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "LOCK\tTENANT\tPID\tDOES\tFOR\tAPPLICATION\tCLIENT\tSTATE\tSQL")
	for _, l := range v.Locks {
		name, tenant := l.Label(), tenantsOf(l)
		if len(l.Names) == 0 {
			name += " (unknown)"
		}
		row := func(does, howLong string, s lockview.LockSessionBody) {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", name, tenant, s.PID, does, howLong,
				printable(s.ApplicationName), cmp.Or(s.ClientAddress, "local"), s.State,
				shortened(printable(s.Query), sqlWidth))
			name, tenant = "", "" // once for each lock
		}
		for _, h := range l.Holders {
			held := "?"
			if h.AtMostMS != nil {
				held = "≤" + duration(*h.AtMostMS)
			}
			row(shared("holds", h.Shared), held, h.LockSessionBody)
		}
		for _, x := range l.Waiters {
			row(shared("waits", x.Shared), duration(x.WaitingMS), x.LockSessionBody)
		}
	}
	if err := t.Flush(); err != nil || len(v.Longest) == 0 {
		return w.Bytes(), err
	}
	longest(w, v)
	return w.Bytes(), nil
}

// blockers shows who must finish before others can go on, whatever the lock.
func blockers(w io.Writer, list []lockview.BlockerBody) error {
	if len(list) == 0 {
		return nil
	}
	_, _ = fmt.Fprintln(w,
		"\nWho keeps others waiting, and waits for nobody (SELECT pg_terminate_backend(PID) ends one):")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "PID\tBEHIND IT\tFOR\tHOLDS\tTRANSACTION\tUSER\tAPPLICATION\tCLIENT\tSTATE\tSQL")
	for _, b := range list {
		age := "?"
		if b.TransactionMS != nil {
			age = duration(*b.TransactionMS)
		}
		_, _ = fmt.Fprintf(t, "%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", b.PID, b.Waiting, duration(b.LongestMS),
			strings.Join(b.Locks, ", "), age, b.User, printable(b.ApplicationName), cmp.Or(b.ClientAddress, "local"),
			b.State,
			shortened(printable(b.Query), sqlWidth))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// longest shows the longest wait.
func longest(w io.Writer, v lockview.LocksBody) {
	_, _ = fmt.Fprintf(w, "\nThe longest wait, %s, and who is ahead:\n", duration(v.Longest[0].WaitingMS))
	for _, link := range v.Longest {
		what := "waits for nobody"
		if link.WaitsFor != "" {
			what = "waits for " + link.WaitsFor
		}
		if link.State != "" {
			what += " (" + link.State + ")"
		}
		_, _ = fmt.Fprintf(w, "  %d %s %s: %s\n", link.PID, printable(link.ApplicationName), what,
			shortened(printable(link.Query), sqlWidth))
	}
}

func tenantsOf(l lockview.LockBody) string {
	var slugs []string
	for _, n := range l.Names {
		if n.TenantSlug != "" {
			slugs = append(slugs, n.TenantSlug)
		}
	}
	return strings.Join(slugs, " or ")
}

func shared(does string, shared bool) string {
	if shared {
		return does + " shared"
	}
	return does
}

func duration(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

// printable puts a text on one line and takes out what a terminal would act on.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.Join(strings.Fields(text), " "))
}

func shortened(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return text
}

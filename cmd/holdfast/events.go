package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/event"
)

type eventsCmd struct {
	List   eventsListCmd   `cmd:"" help:"List scheduled events."`
	Stats  eventsStatsCmd  `cmd:"" help:"Count scheduled events by kind and status."`
	Cancel eventsCancelCmd `cmd:"" help:"Cancel scheduled events."`
	Replay eventsReplayCmd `cmd:"" help:"Do scheduled events again, now."`
}

// eventsFilter is what events are chosen by. What isn't given matches all. An empty text is refused: it may be a
// variable that was never set.
type eventsFilter struct {
	Tenant    *string `placeholder:"SLUG" help:"Of one tenant, by its slug or id."`
	Kind      *string `placeholder:"KIND" help:"Of one kind, such as booking.reminder."`
	Status    *string `placeholder:"STATUS" enum:"${event_statuses}" help:"In one status, of ${event_statuses}."`
	Subject   *string `placeholder:"ID" help:"About one booking, customer, payment or other thing."`
	DueBefore moment  `placeholder:"TIME" help:"Due before a day, YYYY-MM-DD in UTC, or an RFC 3339 time."`
}

func (f eventsFilter) filter() (a event.AcrossFilter, err error) {
	a.DueBefore = f.DueBefore.Time
	var subject, status string
	for _, flag := range []struct {
		name  string
		given *string
		to    *string
	}{{"tenant", f.Tenant, &a.Tenant}, {"kind", f.Kind, &a.Kind}, {"status", f.Status, &status},
		{"subject", f.Subject, &subject}} {
		if flag.given == nil {
			continue
		}
		if *flag.to = *flag.given; *flag.to == "" {
			return a, unusableError{fmt.Errorf("--%s is empty: leave it out to choose all", flag.name)}
		}
	}
	if a.Kind != "" && !slices.Contains(event.Kinds(), a.Kind) {
		return a, unusableError{fmt.Errorf("--kind: expected one of %s", strings.Join(event.Kinds(), ", "))}
	}
	a.Status = event.Status(status)
	if subject != "" {
		if a.Subject, err = uuid.Parse(subject); err != nil {
			return a, unusableError{fmt.Errorf("--subject: %w", err)}
		}
	}
	return a, nil
}

// withOperator runs work on the events of the configured database, or of that of the server that runs in the data
// directory.
func withOperator(ctx context.Context, c *Config, work func(*event.Operator) error) error {
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, MaxConns: 2, Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	return work(event.NewOperator(st))
}

type eventsListCmd struct {
	eventsFilter
	Limit int  `default:"50" range:"1 to 10000" help:"How many at most, 1 to 10000."`
	JSON  bool `name:"json" help:"Print JSON."`
}

// Run lists events by tenant and due time.
func (cmd *eventsListCmd) Run(ctx context.Context, c *Config) error {
	f, err := cmd.filter()
	if err != nil {
		return err
	}
	return withOperator(ctx, c, func(op *event.Operator) error {
		list, more, err := op.List(ctx, f, cmd.Limit)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(eventListBody{Events: list, More: more})
		}
		return printEvents(os.Stdout, list, more)
	})
}

// eventListBody is the document of events list --json. More says that others match too.
type eventListBody struct {
	Events []event.OperatorEventBody `json:"events"`
	More   bool                      `json:"more"`
}

func printEvents(w io.Writer, list []event.OperatorEventBody, more bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "EVENT\tTENANT\tKIND\tSTATUS\tDUE\tATTEMPTS\tSUBJECT\tLAST ERROR")
	for _, e := range list {
		lastError := ""
		if e.LastError != nil {
			lastError = shortened(printable(*e.LastError), sqlWidth)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s %s\t%s\n", e.ID, cmp.Or(e.TenantSlug, "(operator)"),
			printable(e.Kind), e.Status,
			e.DueAt.Format(timeFormat),
			e.Attempts, printable(e.Subject.Type), e.Subject.ID, lastError)
	}
	if err := t.Flush(); err != nil || !more {
		return err
	}
	_, err := fmt.Fprintf(w, "There are more than these %d; --limit shows more.\n", len(list))
	return err
}

type eventsStatsCmd struct {
	eventsFilter
	JSON bool `name:"json" help:"Print JSON."`
}

// Run counts the rows.
func (cmd *eventsStatsCmd) Run(ctx context.Context, c *Config) error {
	f, err := cmd.filter()
	if err != nil {
		return err
	}
	return withOperator(ctx, c, func(op *event.Operator) error {
		stats, err := op.Stats(ctx, f)
		if err != nil {
			return err
		}
		if cmd.JSON {
			return printJSON(stats)
		}
		return printStats(os.Stdout, stats)
	})
}

func printStats(w io.Writer, stats []event.EventStatsBody) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "KIND\tSTATUS\tEVENTS\tDUE\tLAG\tATTEMPTS\tMOST")
	var all, due, dead int64
	for _, s := range stats {
		lag := "–"
		if s.Due > 0 {
			lag = time.Duration(s.LagSeconds * float64(time.Second)).Round(time.Second).String()
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%d\t%d\n", printable(s.Kind), s.Status, s.Events, s.Due, lag,
			s.Attempts, s.MostAttempts)
		all, due = all+s.Events, due+s.Due
		if s.Status == event.Dead {
			dead += s.Events
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "events: %d  due: %d  dead: %d\n", all, due, dead)
	return err
}

// eventsChange says which events are changed.
type eventsChange struct {
	IDs []string `arg:"" optional:"" name:"id" help:"Ids of events."`
	eventsFilter
	All bool `help:"All events that the filters leave, instead of ids. replay needs --status with it."`
	Yes bool `help:"Make the change; without it, only count the events."`
}

func (cmd *eventsChange) run(ctx context.Context, c *Config, change event.Transition, done string) error {
	f, err := cmd.filter()
	if err != nil {
		return err
	}
	if cmd.All == (len(cmd.IDs) > 0) {
		return unusableError{errors.New("expected either ids, or --all and filters")}
	}
	if cmd.All && change == event.Replay && cmd.Status == nil {
		return unusableError{errors.New("expected --status with replay --all: completed events would be done again as well")}
	}
	for _, text := range cmd.IDs {
		id, err := uuid.Parse(text)
		if err != nil {
			return unusableError{fmt.Errorf("the id of an event: %w", err)}
		}
		f.IDs = append(f.IDs, id)
	}
	return withOperator(ctx, c, func(op *event.Operator) error {
		selected, err := op.Select(ctx, change, f)
		if err != nil {
			return err
		}
		if !cmd.Yes {
			_, err = fmt.Printf("%d events would be %s. Repeat the command with --yes.\n", selected.Len(), done)
			return err
		}
		if _, err := fmt.Printf("%d events are to be %s.\n", selected.Len(), done); err != nil {
			return err
		}
		changed, err := op.Apply(ctx, selected)
		_, printErr := fmt.Printf("%s %d events.\n", strings.ToUpper(done[:1])+done[1:], changed)
		return errors.Join(err, printErr)
	})
}

type eventsCancelCmd struct{ eventsChange }

// Run cancels events.
func (cmd *eventsCancelCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, event.Cancel, "cancelled")
}

type eventsReplayCmd struct{ eventsChange }

// Run makes events due now.
func (cmd *eventsReplayCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, event.Replay, "replayed")
}

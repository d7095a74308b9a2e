package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/amount"
	"holdfast/internal/app"
	"holdfast/internal/datetime"
	"holdfast/internal/db"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/tenant"
)

type reconcileCmd struct {
	From   moment `required:"" placeholder:"DATE" help:"First day to compare, YYYY-MM-DD, or an RFC 3339 time. Days are in UTC, with --tenant in the tenant's time zone."`
	To     moment `required:"" placeholder:"DATE" help:"Last day to compare, or the RFC 3339 time before which to stop."`
	Tenant string `help:"Slug or id of the only tenant to compare."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// moment is a day or an instant.
type moment struct {
	time.Time
	day bool
}

// UnmarshalText reads YYYY-MM-DD or a time as of RFC 3339.
func (m *moment) UnmarshalText(text []byte) (err error) {
	if m.Time, err = time.Parse(time.DateOnly, string(text)); err == nil {
		m.day = true
	} else if m.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return errors.New("expected a date, such as 2026-07-14, or a time, such as 2026-07-14T18:00:00Z")
	}
	m.Time = m.UTC()
	if m.Year() < datetime.MinYear || m.Year() > datetime.MaxYear {
		return fmt.Errorf("expected a year from %d to %d", datetime.MinYear, datetime.MaxYear)
	}
	return nil
}

// begin is the moment as the first of a period whose days lie in loc.
func (m *moment) begin(loc *time.Location) time.Time {
	if !m.day {
		return m.Time
	}
	day := civil.DateOf(m.Time)
	from, _ := payment.Days{From: day, To: day}.Period(loc)
	return from
}

// end is what comes after the moment as the last of a period whose days lie in loc.
func (m *moment) end(loc *time.Location) time.Time {
	if !m.day {
		return m.Time
	}
	day := civil.DateOf(m.Time)
	_, until := payment.Days{From: day, To: day}.Period(loc)
	return until
}

// Run compares and prints. It returns an error with the exit status 1 if there are differences, and one with the exit
// status 2 if it could not compare.
func (cmd *reconcileCmd) Run(ctx context.Context, c *Config) error {
	found, err := cmd.compare(ctx, c)
	if err != nil {
		return unusableError{fmt.Errorf("could not compare: %w", err)}
	}
	if n := len(found.Differences); n > 0 {
		return fmt.Errorf("there are differences: %d", n)
	}
	return nil
}

func (cmd *reconcileCmd) compare(ctx context.Context, c *Config) (found payment.Reconciliation, err error) {
	from, until, err := cmd.period(time.UTC)
	if err != nil && cmd.Tenant == "" {
		return found, err
	}
	if c, err = cmd.inCell(ctx, c); err != nil {
		return found, err
	}
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return found, err
	}
	defer local.close()
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, MaxConns: 1, Logger: log})
	if err != nil {
		return found, err
	}
	defer st.Close()
	providers, err := c.connectProviders(log)
	if err != nil {
		return found, err
	}
	defer providers.close()
	if providers.current == nil && len(providers.legacy) == 0 {
		return found, errors.New("no payment provider is configured: set HOLDFAST_PROVIDER")
	}
	cfg := c.payments(providers)
	cfg.Logger = log
	payments := payment.NewService(st, cfg)
	switch {
	case cmd.Tenant == "" && c.Cells == "":
		found, err = payments.Reconcile(ctx, from, until)
	case cmd.Tenant == "":
		found, err = c.reconcileCell(ctx, payments, from, until)
	default:
		found, from, until, err = cmd.compareTenant(ctx, st, payments)
	}
	if err != nil {
		return found, err
	}
	if cmd.JSON {
		return found, printJSON(found.Body(from, until))
	}
	return found, printReconciliation(found, from, until)
}

// period returns the period [from, until) whose days lie in loc.
func (cmd *reconcileCmd) period(loc *time.Location) (from, until time.Time, err error) {
	if from, until = cmd.From.begin(loc), cmd.To.end(loc); !from.Before(until) {
		err = errors.New("--to is before --from")
	}
	return from, until, err
}

// reconcileCell compares the payments of one cell: the provider's journal has those of all.
func (c *Config) reconcileCell(ctx context.Context, payments *payment.Service, from, until time.Time,
) (found payment.Reconciliation, err error) {
	m, _, closeStores, err := c.mover(ctx)
	if err != nil {
		return found, err
	}
	defer closeStores()
	tenants, err := m.Tenants(ctx)
	if err != nil {
		return found, err
	}
	elsewhere := make(map[uuid.UUID]bool)
	for _, t := range tenants {
		elsewhere[t.TenantID] = t.Cell != c.Cell
	}
	return payments.ReconcileCell(ctx, elsewhere, from, until)
}

// compareTenant compares one tenant, in its own days.
func (cmd *reconcileCmd) compareTenant(ctx context.Context, st *db.DB, payments *payment.Service,
) (found payment.Reconciliation, from, until time.Time, err error) {
	t, err := tenant.NewService(st).Find(ctx, cmd.Tenant)
	if err != nil {
		return found, from, until, fmt.Errorf("--tenant: %w", err)
	}
	if from, until, err = cmd.period(t.Location); err != nil {
		return found, from, until, err
	}
	found, err = payments.ReconcileTenant(ctx, t.ID, from, until)
	return found, from, until, err
}

// inCell returns the settings of the command in the tenant's cell.
func (cmd *reconcileCmd) inCell(ctx context.Context, c *Config) (*Config, error) {
	if cmd.Tenant == "" || c.Cells == "" || c.Cell != "" {
		return c, nil
	}
	m, _, closeStores, err := c.mover(ctx)
	if err != nil {
		return nil, err
	}
	defer closeStores()
	t, err := m.Tenant(ctx, cmd.Tenant)
	if err != nil {
		return nil, err
	}
	one := *c
	one.Cell = t.Cell
	return &one, nil
}

// connectProviders is openProviders for a command that may run beside a server: it uses the sandbox in that one's
// process.
func (c *Config) connectProviders(log *slog.Logger) (*providers, error) {
	p, err := c.openProviders(log)
	if !errors.Is(err, sandbox.ErrInUse) {
		return p, err
	}
	beside := *c
	url, readErr := c.readSecret(sandboxURLFile)
	if readErr != nil || url == "" {
		return nil, errors.Join(err, readErr)
	}
	beside.SandboxURL = url
	return beside.openProviders(log)
}

func printReconciliation(r payment.Reconciliation, from, until time.Time) error {
	_, err := fmt.Printf("From %s until %s  movements: %d  payments: %d  open: %d  differences: %d\n",
		from.Format(timeFormat), until.Format(timeFormat), r.Transactions, r.Payments, r.Open, len(r.Differences))
	if err != nil || len(r.Differences) == 0 {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "DIFFERENCE\tTENANT\tPAYMENT\tHERE\tAT THE PROVIDER")
	for _, d := range r.Differences {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Kind, d.Reference.TenantID, d.Reference.ID,
			transferText(d.Ours),
			transferText(d.Theirs))
	}
	return t.Flush()
}

func transferText(m *payment.Transfer) string {
	if m == nil {
		return "–"
	}
	text := "payment"
	if m.Refund {
		text = "refund"
	}
	text += " " + m.Status
	if m.Amount != 0 {
		text += " " + amount.Format(m.Amount, m.Currency)
	}
	if text += " " + m.Provider; m.Account != "" {
		text += " " + printable(m.Account)
	}
	return text + " " + printable(m.ProviderID)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/amount"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/store"
)

type reconcileCmd struct {
	From moment `required:"" placeholder:"DATE" help:"First day to compare, YYYY-MM-DD in UTC, or an RFC 3339 time."`
	To   moment `required:"" placeholder:"DATE" help:"Last day to compare, or the RFC 3339 time before which to stop."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// moment is a day in UTC or an instant.
type moment struct {
	time.Time
	day bool
}

// UnmarshalText reads YYYY-MM-DD or a time as of RFC 3339.
func (m *moment) UnmarshalText(text []byte) (err error) {
	if m.Time, err = time.Parse(time.DateOnly, string(text)); err == nil {
		m.day = true
		return nil
	}
	if m.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return errors.New("expected a date, such as 2026-07-14, or a time, such as 2026-07-14T18:00:00Z")
	}
	m.Time = m.UTC()
	return nil
}

// end is what comes after the moment as the last of a period.
func (m *moment) end() time.Time {
	if m.day {
		return m.AddDate(0, 0, 1)
	}
	return m.Time
}

// Run compares and prints. It returns an error with the exit status 1 if there are differences, and one with the exit status
// 2 if it could not compare.
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
	from, until := cmd.From.Time, cmd.To.end()
	if !from.Before(until) {
		return found, errors.New("--to is before --from")
	}
	log := c.logger()
	db, err := connectExisting(ctx, c, log)
	if err != nil {
		return found, err
	}
	defer db.close()
	st, err := store.Open(ctx, store.Config{URL: db.url, MaxConns: 1, Logger: log})
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
	found, err = c.payments(st, nil, providers, nil, log).Reconcile(ctx, from, until)
	if err != nil {
		return found, err
	}
	if cmd.JSON {
		return found, printJSON(reconciliationBodyOf(found, from, until))
	}
	return found, printReconciliation(found, from, until)
}

// connectProviders is openProviders for a command that may run beside a server: it uses the sandbox in that one's process.
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
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Kind, d.Reference.TenantID, d.Reference.ID, transferText(d.Ours),
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
	return text + " " + m.Provider + " " + printable(m.ProviderID)
}

// The document of --json. Times are RFC 3339 in UTC; until is excluded. Amounts are minor units.
type reconciliationBody struct {
	From        time.Time        `json:"from"`
	Until       time.Time        `json:"until"`
	Movements   int              `json:"movements"`
	Payments    int              `json:"payments"`
	Open        int              `json:"open"`
	Differences []differenceBody `json:"differences"`
}

type differenceBody struct {
	Kind      payment.DifferenceKind `json:"kind"`
	TenantID  uuid.UUID              `json:"tenant_id"`
	PaymentID uuid.UUID              `json:"payment_id"`
	Here      *transferBody          `json:"here"`
	There     *transferBody          `json:"at_provider"`
}

type transferBody struct {
	Provider   string `json:"provider"`
	ProviderID string `json:"provider_id"`
	Refund     bool   `json:"refund"`
	Status     string `json:"status"`
	Amount     int64  `json:"amount"`
	Currency   string `json:"currency"`
}

func reconciliationBodyOf(r payment.Reconciliation, from, until time.Time) reconciliationBody {
	body := reconciliationBody{
		From: from, Until: until, Movements: r.Transactions, Payments: r.Payments, Open: r.Open, Differences: []differenceBody{},
	}
	for _, d := range r.Differences {
		body.Differences = append(body.Differences, differenceBody{
			Kind: d.Kind, TenantID: d.Reference.TenantID, PaymentID: d.Reference.ID, Here: (*transferBody)(d.Ours),
			There: (*transferBody)(d.Theirs),
		})
	}
	return body
}

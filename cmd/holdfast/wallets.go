package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/wallet"
)

type walletsCmd struct {
	Verify  walletsVerifyCmd  `cmd:"" help:"Compare wallets with their entries, snapshots, postings and payments."`
	Rebuild walletsRebuildCmd `cmd:"" help:"Make the rows of wallets again from their entries, where they differ."`
}

// verifyTimeout is how long a statement of wallets verify may take: some look through all entries of a tenant.
const verifyTimeout = time.Hour

// withWallets runs work on the wallets of the configured database, or of that of the server that runs in the data
// directory. timeout is how long a lock is waited for and, with 10 s more, how long a statement may take; 0 is the
// default.
func withWallets(ctx context.Context, c *Config, timeout time.Duration, work func(*wallet.Operator) error) error {
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	// Rebuilding a wallet reads its entries while another connection holds its lock.
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, MaxConns: 2, LockTimeout: timeout, Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	return work(wallet.NewOperator(st))
}

type walletsVerifyCmd struct {
	Tenant string `placeholder:"SLUG" help:"Of one tenant, by its slug or id."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run compares and prints. It returns an error with the exit status 1 if anything is wrong, and one with the exit
// status 2 if it could not compare.
func (cmd *walletsVerifyCmd) Run(ctx context.Context, c *Config) error {
	var v wallet.Verification
	err := withWallets(ctx, c, verifyTimeout, func(op *wallet.Operator) (err error) {
		v, err = op.Verify(ctx, cmd.Tenant)
		return err
	})
	if err != nil {
		return unusableError{fmt.Errorf("could not compare: %w", err)}
	}
	if cmd.JSON {
		err = printJSON(v)
	} else {
		err = printVerification(os.Stdout, v)
	}
	if err == nil && v.Found > 0 {
		err = fmt.Errorf("wallets are wrong: %d differences", v.Found)
	}
	return err
}

func printVerification(w io.Writer, v wallet.Verification) error {
	if _, err := fmt.Fprintf(w, "tenants: %d  wallets: %d  entries: %d  differences: %d\n", v.Tenants, v.Wallets,
		v.Entries,
		v.Found); err != nil {
		return err
	}
	if err := printDifferences(w, v.Differences); err != nil || v.Found == len(v.Differences) {
		return err
	}
	_, err := fmt.Fprintf(w, "There are more than these %d.\n", len(v.Differences))
	return err
}

func printDifferences(w io.Writer, differences []wallet.Difference) error {
	if len(differences) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "DIFFERENCE\tTENANT\tWALLET\tDETAIL")
	for _, f := range differences {
		id := "–"
		if f.WalletID != nil {
			id = f.WalletID.String()
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Kind, f.TenantID, id, printable(f.Detail))
	}
	return t.Flush()
}

type walletsRebuildCmd struct {
	Tenant string    `placeholder:"SLUG" help:"Of one tenant, by its slug or id."`
	Wallet uuid.UUID `placeholder:"ID" help:"One wallet."`
	JSON   bool      `name:"json" help:"Print JSON."`
}

// Run rebuilds and prints what changed. It returns an error with the exit status 1 if it refused a wallet, and one with
// the exit status 2 if it could not go on.
func (cmd *walletsRebuildCmd) Run(ctx context.Context, c *Config) error {
	var one *uuid.UUID
	if cmd.Wallet != uuid.Nil {
		one = &cmd.Wallet
	}
	var r wallet.Rebuilding
	failed := withWallets(ctx, c, 0, func(op *wallet.Operator) (err error) {
		r, err = op.Rebuild(ctx, cmd.Tenant, one)
		return err
	})
	var err error
	if cmd.JSON {
		err = printJSON(r)
	} else {
		err = printRebuilding(os.Stdout, r)
	}
	switch {
	case failed != nil:
		return unusableError{fmt.Errorf("could not go on: %w", failed)}
	case err == nil && one != nil && r.Wallets == 0:
		return unusableError{fmt.Errorf("there is no wallet %s", one)}
	case err == nil && len(r.Refused) > 0:
		return fmt.Errorf("the entries of %d wallets can't be trusted; nothing of these wallets was changed",
			len(r.Refused))
	}
	return err
}

func printRebuilding(w io.Writer, r wallet.Rebuilding) error {
	if _, err := fmt.Fprintf(w, "wallets: %d  rebuilt: %d  refused: %d\n", r.Wallets, len(r.Rebuilt),
		len(r.Refused)); err != nil {
		return err
	}
	if len(r.Rebuilt) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "TENANT\tWALLET\tVERSION\tBALANCE\tHELD")
		for _, d := range r.Rebuilt {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%d → %d\t%d → %d\t%d → %d\n", d.TenantID, d.WalletID, d.Before.Version,
				d.After.Version,
				d.Before.Balance, d.After.Balance, d.Before.Held, d.After.Held)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return printDifferences(w, r.Refused)
}

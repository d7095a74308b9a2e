package wallet

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// reader reads the streams of wallets.
type reader struct {
	db *db.DB
}

// Get returns a wallet without the credit that has expired by now. Errors, as of all reads here: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) Get(ctx context.Context, t tenant.Tenant, id uuid.UUID) (Wallet, error) {
	row, now, err := s.row(ctx, t.ID, id)
	if err != nil {
		return Wallet{}, err
	}
	w, err := fromRow(row)
	return w.Current(now), err
}

// List lists a tenant's wallets by id; with a customer, that customer's only.
func (s *Service) List(ctx context.Context, t tenant.Tenant, customer *uuid.UUID, after uuid.UUID, limit int,
) ([]Wallet, error) {
	rows, now, err := s.rows(ctx, t.ID, customer, after, limit)
	if err != nil {
		return nil, err
	}
	list := make([]Wallet, len(rows))
	for i, row := range rows {
		w, err := fromRow(row)
		if err != nil {
			return nil, err
		}
		list[i] = w.Current(now)
	}
	return list, nil
}

// Entries lists a wallet's entries after a version, by version. Errors: problem.NotFound for a wallet that doesn't
// exist.
func (s *Service) Entries(ctx context.Context, t tenant.Tenant, id uuid.UUID, after int64, limit int) ([]Entry, error) {
	if _, _, err := s.row(ctx, t.ID, id); err != nil {
		return nil, err
	}
	return s.entries(ctx, t.ID, id, after, MaxAmount, limit)
}

func (r reader) entries(ctx context.Context, tenant, id uuid.UUID, after, until int64, limit int) ([]Entry, error) {
	rows, err := r.entryRows(ctx, tenant, id, after, until, limit)
	if err != nil {
		return nil, err
	}
	list := make([]Entry, len(rows))
	for i, row := range rows {
		if list[i], err = entryFromRow(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// AsOf returns a wallet as it was at a time: from the last snapshot before it and the entries since then. Errors: also
// problem.ValidationFailed for a time to come.
func (s *Service) AsOf(ctx context.Context, t tenant.Tenant, id uuid.UUID, at time.Time) (Wallet, error) {
	row, now, err := s.row(ctx, t.ID, id)
	if err != nil {
		return Wallet{}, err
	}
	if at.After(now) {
		return Wallet{}, problem.Invalid("as_of", "in_future", "Expected a time that has passed.")
	}
	version, err := s.versionAt(ctx, t.ID, id, at)
	if err != nil {
		return Wallet{}, err // before the first entry there is no wallet
	}
	w, err := s.load(ctx, row, version)
	return w.Current(at), err
}

// load returns a wallet at a version, which is not greater than the row's.
func (r reader) load(ctx context.Context, row walletRow, version int64) (Wallet, error) {
	w := Wallet{ID: row.WalletID, CustomerID: row.CustomerID, Currency: row.Currency, CreatedAt: row.CreatedAt.UTC(),
		UpdatedAt: row.CreatedAt.UTC()}
	snapshot, err := r.snapshot(ctx, row.TenantID, row.WalletID, version)
	switch {
	case err == nil:
		w.Balance, w.Held, w.Version, w.UpdatedAt = snapshot.Balance, snapshot.Held, snapshot.Version,
			snapshot.OccurredAt.UTC()
		if err := w.setState(snapshot.State); err != nil {
			return w, err
		}
	case !problem.Is(err, problem.NotFound):
		return w, err
	}
	err = r.fold(ctx, row.TenantID, &w, version, nil)
	return w, err
}

// entriesAtOnce is how many entries a fold reads at once.
const entriesAtOnce = 1000

// fold applies the entries that follow a wallet's version, up to another version, and calls visit after each, if there
// is one. Errors: a notFoldingError for a stream that doesn't fold; visit's.
func (r reader) fold(ctx context.Context, tenant uuid.UUID, w *Wallet, until int64, visit func(Wallet) error) error {
	for w.Version < until {
		list, err := r.entries(ctx, tenant, w.ID, w.Version, until, entriesAtOnce)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return notFoldingError{fmt.Errorf("wallet: no entry follows entry %d", w.Version)}
		}
		for _, e := range list {
			if err := w.follow(e); err != nil {
				return notFoldingError{err}
			}
			if visit == nil {
				continue
			}
			if err := visit(*w); err != nil {
				return err
			}
		}
	}
	return nil
}

// notFoldingError says why the entries of a wallet can't be its stream.
type notFoldingError struct{ error }

func (e notFoldingError) Unwrap() error { return e.error }

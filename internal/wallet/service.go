package wallet

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Service changes and reads wallets.
type Service struct {
	reader
	guesses *guesses
}

// NewService returns the use cases on a database.
func NewService(d *db.DB) *Service {
	return &Service{reader: reader{d}, guesses: newGuesses()}
}

// locked is the wallets of a transaction that holds their locks.
type locked struct {
	*LedgerTransaction
	wallets []*Wallet
	// endOfHold is the entry that ended the hold that was asked for, nil if there is none.
	endOfHold *entryRow
}

// wallet returns a wallet. Errors: problem.NotFound.
func (l locked) wallet(id uuid.UUID) (*Wallet, error) {
	for _, w := range l.wallets {
		if w.ID == id {
			return w, nil
		}
	}
	return nil, problem.Missing()
}

// last returns the response for a change of a wallet: the wallet with its newest entry of the type.
func (l locked) last(w *Wallet, t Type) (idempotency.Outcome, error) {
	for _, c := range slices.Backward(l.changes) {
		if c.wallet.ID == w.ID && c.entry.Type == t {
			return idempotency.Made(entryKind, w.ID, w.Version, w.bodyWith(c.entry))
		}
	}
	return idempotency.Outcome{}, errors.New("wallet: a change made no entry")
}

// underLocks runs act in a transaction that holds the locks of wallets. request is what is served, nil for a change
// without a key. hold is the hold of the first wallet of which the end is read, nil for none.
func (r reader) underLocks(ctx context.Context, request *db.Request, tenant uuid.UUID, ids []uuid.UUID, hold *uuid.UUID,
	act func(*db.WalletTx, locked) error,
) error {
	keys, err := keysOf(tenant, ids...)
	if err != nil {
		return err
	}
	return r.db.Wallets(ctx, request, keys, func(tx *db.WalletTx) func() error {
		read := ReadLocked(tx)
		var endOfHold *entryRow
		if hold != nil {
			queueEndOfHold(tx, ids[0], *hold, &endOfHold)
		}
		return func() error {
			wallets, err := read.Wallets()
			if err != nil {
				return err
			}
			return act(tx, locked{LedgerTransaction: NewLedgerTransaction(tx.Now()), wallets: wallets,
				endOfHold: endOfHold})
		}
	})
}

// once serves a request: it runs act under the locks of wallets, and writes the ledger transaction.
func (s *Service) once(ctx context.Context, t tenant.Tenant, r idempotency.Request, ids []uuid.UUID, hold *uuid.UUID,
	act func(*db.WalletTx, locked) (idempotency.Outcome, error),
) (idempotency.Outcome, error) {
	request := r.DBRequest(t.ID)
	return request.Outcome(s.underLocks(ctx, request, t.ID, ids, hold, func(tx *db.WalletTx, l locked) error {
		o, err := act(tx, l)
		if err == nil {
			err = l.Write(tx)
		}
		return tx.Respond(o, err)
	}))
}

func keysOf(tenant uuid.UUID, ids ...uuid.UUID) (lock.WalletKeys, error) {
	raw := make([][16]byte, len(ids))
	for i, id := range ids {
		raw[i] = id
	}
	return lock.Wallets(tenant, raw...)
}

// Credit adds credit to a wallet. Errors, as of all changes here: problem.ValidationFailed for a description with
// control characters; problem.NotFound; problem.VersionMismatch; those of LedgerTransaction, of db.Request.Outcome and
// of db.DB.Wallets.
func (s *Service) Credit(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, req CreditRequest,
) (idempotency.Outcome, error) {
	return s.change(ctx, t, r, id, nil, Credited, req.Description, req,
		func(l locked, w *Wallet) error { return l.Credit(w, req.Amount, req.ExpiresAt, req.Description) })
}

// Debit spends credit of a wallet.
func (s *Service) Debit(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, req DebitRequest,
) (idempotency.Outcome, error) {
	return s.change(ctx, t, r, id, nil, Debited, req.Description, req,
		func(l locked, w *Wallet) error { return l.Debit(w, req.Amount, req.Description) })
}

// Hold keeps an amount of a wallet from being spent otherwise.
func (s *Service) Hold(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, req DebitRequest,
) (idempotency.Outcome, error) {
	holdID := uuid.Must(uuid.NewV7())
	return s.change(ctx, t, r, id, nil, Held, req.Description, req,
		func(l locked, w *Wallet) error { return l.Hold(w, holdID, req.Amount, req.entry()) })
}

// Capture spends an open hold, or an amount of it. Errors: also problem.InvalidState if the hold has ended, or belongs
// to a payment.
func (s *Service) Capture(ctx context.Context, t tenant.Tenant, r idempotency.Request, id, holdID uuid.UUID,
	req CaptureRequest,
) (idempotency.Outcome, error) {
	return s.endHold(ctx, t, r, id, holdID, Captured, req.Description, req,
		func(l locked, w *Wallet, h Hold) error { return l.Capture(w, h, req.Amount, req.entry()) })
}

// Release ends an open hold. Errors: as those of Capture.
func (s *Service) Release(ctx context.Context, t tenant.Tenant, r idempotency.Request, id, holdID uuid.UUID,
	d Description,
) (idempotency.Outcome, error) {
	return s.endHold(ctx, t, r, id, holdID, Released, d, d,
		func(l locked, w *Wallet, h Hold) error { return l.Release(w, h, d.entry()) })
}

func (s *Service) endHold(
	ctx context.Context,
	t tenant.Tenant,
	r idempotency.Request,
	id, holdID uuid.UUID,
	entry Type,
	d Description,
	request any,
	end func(locked, *Wallet, Hold) error,
) (idempotency.Outcome, error) {
	return s.change(ctx, t, r, id, &holdID, entry, d, request, func(l locked, w *Wallet) error {
		h, err := l.holdToEnd(w, holdID)
		if err != nil {
			return err
		}
		return end(l, w, h)
	})
}

// holdToEnd returns an open hold that a client may end.
func (l locked) holdToEnd(w *Wallet, id uuid.UUID) (Hold, error) {
	h := w.openHold(id)
	switch {
	case h != nil && h.Payment:
		return Hold{}, problem.New(problem.InvalidState, "A payment holds this amount. It ends with the payment.")
	case h != nil:
		return *h, nil
	case l.endOfHold != nil:
		return Hold{}, problem.New(problem.InvalidState, "The hold was "+l.endOfHold.Type+".")
	}
	return Hold{}, problem.Missing()
}

// change changes one wallet by a request, of which d is a part.
func (s *Service) change(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, hold *uuid.UUID,
	entry Type,
	d Description,
	request any,
	act func(locked, *Wallet) error,
) (idempotency.Outcome, error) {
	if err := d.check(request); err != nil {
		return idempotency.Outcome{}, err
	}
	return s.once(ctx, t, r, []uuid.UUID{id}, hold, func(_ *db.WalletTx, l locked) (idempotency.Outcome, error) {
		w, err := l.wallet(id)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		if err := d.checkVersion(w, l.now); err != nil {
			return idempotency.Outcome{}, err
		}
		if err := act(l, w); err != nil {
			return idempotency.Outcome{}, err
		}
		return l.last(w, entry)
	})
}

// Transfer moves credit from one wallet to another, under the locks of both.
func (s *Service) Transfer(ctx context.Context, t tenant.Tenant, r idempotency.Request, req TransferRequest,
) (idempotency.Outcome, error) {
	if err := req.check(req); err != nil {
		return idempotency.Outcome{}, err
	}
	return s.once(ctx, t, r, []uuid.UUID{req.From, req.To}, nil,
		func(_ *db.WalletTx, l locked) (idempotency.Outcome, error) {
			a, errA := l.wallet(req.From)
			b, errB := l.wallet(req.To)
			if err := cmp.Or(errA, errB); err != nil {
				return idempotency.Outcome{}, err
			}
			if err := req.checkVersion(a, l.now); err != nil {
				return idempotency.Outcome{}, err
			}
			if err := l.Transfer(a, b, req.Amount, req.Description); err != nil {
				return idempotency.Outcome{}, err
			}
			return idempotency.Made(entryKind, uuid.Nil, 0,
				TransferBody{LedgerTransactionID: l.id, Amount: req.Amount, From: a.Body(), To: b.Body()})
		})
}

package wallet

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Create makes a wallet of a customer, or, without one, a wallet with a code. The code stands in this response only: it
// isn't stored, so a repeated request is answered without it. Errors: problem.ValidationFailed for the currency;
// problem.NotFound for the customer; problem.AlreadyExists if the customer has a wallet in the currency; those of
// db.Request.Outcome and of db.DB.Wallets.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, req CreateRequest,
) (idempotency.Outcome, error) {
	if err := tenant.CheckCurrency("currency", req.Currency); err != nil {
		return idempotency.Outcome{}, err
	}
	id := uuid.Must(uuid.NewV7())
	return s.withCode(ctx, t, r, id, event.SubjectWallet, req.CustomerID == nil,
		func(tx *db.WalletTx, l locked, c code) (Wallet, error) {
			w := Wallet{ID: id, CustomerID: req.CustomerID, Currency: req.Currency, CreatedAt: l.now, UpdatedAt: l.now}
			state, err := w.state()
			if err != nil {
				return w, err
			}
			row := newWallet{WalletID: id, CustomerID: req.CustomerID, Currency: req.Currency, State: state}
			if req.CustomerID == nil {
				prefix := c.prefix()
				row.CodePrefix, row.CodeHash = &prefix, c.hash()
			}
			queueWallet(tx, row)
			err = l.open(&w)
			return w, err
		})
}

// RotateCode gives a wallet that has a code another one, which stands in this response only. Errors: problem.NotFound;
// problem.InvalidState for the wallet of a customer; those of db.Request.Outcome and of db.DB.Wallets.
func (s *Service) RotateCode(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	id uuid.UUID,
) (idempotency.Outcome, error) {
	return s.withCode(ctx, t, r, id, entryKind, true, func(tx *db.WalletTx, l locked, c code) (Wallet, error) {
		w, err := l.wallet(id)
		if err != nil {
			return Wallet{}, err
		}
		if w.CustomerID != nil {
			return Wallet{}, problem.New(problem.InvalidState, "The wallet belongs to a customer and has no code.")
		}
		queueCode(tx, id, c)
		return *w, nil
	})
}

// withCode runs act once, with a new code, which is shown once if hasCode. What is stored under the key never has it.
func (s *Service) withCode(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, kind string,
	hasCode bool, act func(*db.WalletTx, locked, code) (Wallet, error),
) (idempotency.Outcome, error) {
	return s.once(ctx, t, r, []uuid.UUID{id}, nil,
		func(tx *db.WalletTx, l locked) (o idempotency.Outcome, err error) {
			c := newCode()
			w, err := act(tx, l, c)
			if err != nil {
				return o, err
			}
			body := NewWalletBody{WalletBody: w.Body()}
			if o, err = idempotency.Made(kind, w.ID, w.Version, body); err != nil || !hasCode {
				return o, err
			}
			body.Code = c.String()
			o.Once, err = idempotency.Encode(body)
			return o, err
		})
}

package wallet

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// Create makes a wallet of a customer, or, without one, a wallet with a code. The code stands in this response only: it isn't stored, so a
// repeated request is answered without it. Errors: problem.ValidationFailed for the
// currency; problem.NotFound for the customer; problem.AlreadyExists if the customer has a wallet in
// the currency; those of store.Request.Response and of store.Store.Wallets.
func (s *Service) Create(ctx context.Context, t tenant.Tenant, r idempotency.Request, customer *uuid.UUID,
	currency string,
) (idempotency.Response, error) {
	if err := tenant.CheckCurrency("currency", currency); err != nil {
		return idempotency.Response{}, err
	}
	id := uuid.Must(uuid.NewV7())
	return s.withCode(ctx, t, r, id, walletsPath+id.String(), customer == nil, func(tx *store.WalletTx, l locked, c code) (Wallet, error) {
		w := Wallet{ID: id, CustomerID: customer, Currency: currency, CreatedAt: l.now, UpdatedAt: l.now}
		state, err := w.state()
		if err != nil {
			return w, err
		}
		row := store.NewWallet{WalletID: id, CustomerID: customer, Currency: currency, State: state}
		if customer == nil {
			row.CodePrefix, row.CodeHash = c.prefix(), c.hash()
		}
		tx.InsertWallet(row)
		err = l.open(&w)
		return w, err
	})
}

// RotateCode gives a wallet that has a code another one, which stands in this response only. Errors: problem.NotFound; problem.InvalidState
// for the wallet of a customer; those of store.Request.Response and of store.Store.Wallets.
func (s *Service) RotateCode(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID) (idempotency.Response, error) {
	return s.withCode(ctx, t, r, id, "", true, func(tx *store.WalletTx, l locked, c code) (Wallet, error) {
		w, err := l.wallet(id)
		if err != nil {
			return Wallet{}, err
		}
		if w.CustomerID != nil {
			return Wallet{}, problem.New(problem.InvalidState, "The wallet belongs to a customer and has no code.")
		}
		tx.SetCode(id, c.prefix(), c.hash())
		return *w, nil
	})
}

// withCode runs act once, with a new code. The response has the code if hasCode; what is stored under the key never has it. location is
// the wallet's if act makes it.
func (s *Service) withCode(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, location string, hasCode bool,
	act func(*store.WalletTx, locked, code) (Wallet, error),
) (idempotency.Response, error) {
	var shown idempotency.Response
	var c code
	stored, err := s.once(ctx, t, r, []uuid.UUID{id}, store.WalletRead{}, func(tx *store.WalletTx, l locked) (idempotency.Response, error) {
		shown = idempotency.Response{}
		c = newCode()
		w, err := act(tx, l, c)
		if err != nil {
			return idempotency.Response{}, err
		}
		body := NewWalletBody{WalletBody: w.Body()}
		stored, err := idempotency.NewResponse(http.StatusCreated, location, w.ETag(), body)
		if err != nil {
			return idempotency.Response{}, err
		}
		if hasCode {
			body.Code = c.String()
		}
		shown, err = idempotency.NewResponse(http.StatusCreated, location, w.ETag(), body)
		return stored, err
	})
	if err != nil || !hasCode || shown.Status == 0 {
		return stored, err
	}
	if !stored.Replayed {
		return shown, nil
	}
	// The response may be that of this request, which ran again after its commit was cut off.
	if row, _, err := s.store.Wallet(ctx, t.ID, id); err == nil && c.is(row.CodeHash) {
		return shown, nil
	}
	return stored, nil
}

package wallet

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/tenant"
)

const (
	tenantsAtOnce   = 500
	walletsAtOnce   = 100
	snapshotsAtOnce = 100
	// maxDifferences is how many differences a report lists, and how many of each kind are read that one statement
	// finds in a tenant.
	maxDifferences = 1000
)

// Operator has the use cases of the operator, who sees the wallets of all tenants. It is safe for concurrent use.
type Operator struct{ reader }

// NewOperator returns the use cases on the database d. A statement that looks through all entries of a tenant may run
// for the database's lock timeout and 10 s.
func NewOperator(d *db.DB) *Operator { return &Operator{reader{d}} }

// DifferenceKind says what is wrong.
type DifferenceKind string

// The kinds.
const (
	// BadStream: the entries have a gap, or one doesn't follow from those before it.
	BadStream DifferenceKind = "stream"
	// BadProjection: the wallet's row isn't what its entries give.
	BadProjection DifferenceKind = "projection"
	// BadSnapshot: a snapshot isn't what the entries up to it give.
	BadSnapshot DifferenceKind = "snapshot"
	// BadPostings: the postings of a wallet don't add up to its row, or are of a wallet that doesn't exist.
	BadPostings DifferenceKind = "postings"
	// BadSum: the wallets and the tenant's own accounts don't add up to zero.
	BadSum DifferenceKind = "sum"
	// BadPayment: a payment with a wallet doesn't have exactly one entry, or an entry has no payment.
	BadPayment DifferenceKind = "payment"
	// BadHold: an open hold of a payment has no open payment that holds its amount, or the other way round.
	BadHold DifferenceKind = "hold"
)

// Difference is one thing that is wrong.
type Difference struct {
	Kind     DifferenceKind `json:"kind"`
	TenantID uuid.UUID      `json:"tenant_id"`
	// WalletID is nil if it isn't known.
	WalletID *uuid.UUID `json:"wallet_id"`
	Detail   string     `json:"detail"`
}

// eachTenant calls act for one tenant, by its slug or id, or for all of them.
func (op *Operator) eachTenant(ctx context.Context, slugOrID string, act func(uuid.UUID) error) error {
	if slugOrID != "" {
		id, err := tenant.IDOf(ctx, op.db, slugOrID)
		if err != nil {
			return err
		}
		return act(id)
	}
	for after := uuid.Nil; ; {
		list, err := tenant.ListNames(ctx, op.db, after, tenantsAtOnce)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, t := range list {
			if err := act(t.TenantID); err != nil {
				return err
			}
			after = t.TenantID
		}
	}
}

// eachWallet calls act for one wallet of a tenant, if it exists, or for all of them.
func (op *Operator) eachWallet(ctx context.Context, tenant uuid.UUID, wallet *uuid.UUID,
	act func(projectionRow) error,
) error {
	for after := uuid.Nil; ; {
		list, err := op.projections(ctx, tenant, wallet, after, walletsAtOnce)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, row := range list {
			if err := act(row); err != nil {
				return err
			}
			after = row.WalletID
		}
	}
}

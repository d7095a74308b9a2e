package wallet

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// CreditExpiry returns the kind of event that ends credit when it expires. Credit that has expired can't be spent
// without it either; the event has the books say so in time.
func (s *Service) CreditExpiry() event.Kind {
	return event.Kind{Name: event.KindWalletCreditExpiry, Handle: event.Flow[Wallet]{
		Load: func(ctx context.Context, e event.Event) (Wallet, error) {
			row, _, err := s.row(ctx, e.TenantID, e.Subject.ID)
			if err != nil {
				return Wallet{}, err
			}
			return fromRow(row)
		},
		Checks: []event.Check[Wallet]{hasExpired},
		Act: func(ctx context.Context, e event.Event, w Wallet) (event.Result, error) {
			return event.Done(), s.expire(ctx, e.TenantID, w.ID)
		},
	}.Handle}
}

func hasExpired(e event.Event, w Wallet) string {
	if len(w.expired(e.LeasedAt)) == 0 {
		return "The credit was spent or ended before, or is held."
	}
	return ""
}

// expire ends what has expired of a wallet, under its lock.
func (s *Service) expire(ctx context.Context, tenant, id uuid.UUID) error {
	return s.underLocks(ctx, nil, tenant, []uuid.UUID{id}, nil, func(tx *db.WalletTx, l locked) error {
		for _, w := range l.wallets {
			if err := l.Expire(w); err != nil {
				return err
			}
		}
		return l.Write(tx)
	})
}

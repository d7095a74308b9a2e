package change

import (
	"bytes"
	"cmp"
	"context"
	"math"

	"github.com/google/uuid"
)

// Position is a position in the feed. The transaction id is that of the transaction that wrote the change or notice;
// for some of customers it is one that began a little later.
type Position struct {
	TransactionID int64
	ChangeID      uuid.UUID
}

// Begin is the position before all changes.
func Begin() Position { return Position{TransactionID: math.MinInt64} }

// Compare returns -1 if p comes before q, 1 if it comes after q, and 0 if they are one position.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.TransactionID, q.TransactionID), bytes.Compare(p.ChangeID[:], q.ChangeID[:]))
}

// Position returns the position in a tenant's feed that a cursor stands for. Errors: those of Page.
func (s *Service) Position(ctx context.Context, tenant uuid.UUID, text string) (Position, error) {
	c, err := parseCursor(text)
	if err != nil {
		return Position{}, err
	}
	read, err := ReadFeed(ctx, s.db, tenant, FeedQuery{After: c.at})
	if err != nil {
		return Position{}, err
	}
	return c.at, c.check(read)
}

// Cursor returns the cursor of a position in a tenant's feed. Errors: problem.DatabaseUnavailable.
func (s *Service) Cursor(ctx context.Context, tenant uuid.UUID, at Position) (string, error) {
	read, err := ReadFeed(ctx, s.db, tenant, FeedQuery{After: at})
	return cursor{epochOf(read.Epoch), at}.String(), err
}

package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// ranges returns the ranges of texts, compared as bytes, in which those lie that begin with one of some texts.
func ranges(beginnings []string) (low, high []string) {
	for _, b := range beginnings {
		low = append(low, b)
		high = append(high, b+"\U0010FFFF") // no assigned character is greater
	}
	return low, high
}

// searchResources lists the resources whose name begins with one of the page's texts: by position and id, those that follow the place of
// position and the page's After, or by id if position is nil.
func (s *Store) searchResources(ctx context.Context, tenant uuid.UUID, position *int, page CatalogPage) ([]Resource, error) {
	p := dbsqlc.ResourceSearchParams{TenantID: tenant, Archived: page.Archived, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch}
	p.Low, p.High = ranges(page.Beginnings)
	if position != nil {
		p.ByPosition, p.AfterPosition = true, int32(*position)
	}
	return readOne(ctx, s, "search resources", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Resource, error) {
		return q.ResourceSearch(ctx, p)
	})
}

// searchServices lists the services whose name begins with one of the page's texts, by id.
func (s *Store) searchServices(ctx context.Context, tenant uuid.UUID, page CatalogPage) ([]Service, error) {
	p := dbsqlc.ServiceSearchParams{TenantID: tenant, Archived: page.Archived, After: page.After, RowLimit: int32(page.Limit), ScanLimit: maxSearch}
	p.Low, p.High = ranges(page.Beginnings)
	return readOne(ctx, s, "search services", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]Service, error) {
		rows, err := q.ServiceSearch(ctx, p)
		return convert(rows, func(r dbsqlc.ServiceSearchRow) Service { return Service(r) }), err
	})
}

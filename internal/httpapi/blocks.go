package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
)

type changeBlockInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[catalog.BlockChange]
}

// blockForce says whether a block is taken again although bookings stand in the way.
type blockForce struct {
	Force bool `json:"force,omitempty" doc:"true: take the time although bookings stand in the way. They stay."`
}

type unarchiveBlockInput struct {
	IDInput
	IfMatchInput
	Body *blockForce
}

func (a *API) routeBlocks() {
	const path, tag = "/v1/blocks", "Blocks"

	registerIdempotent[catalog.BlockBody](a, route{
		op:      catalog.OpCreateBlock,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404},
		summary: "Take time of a resource without a booking",
		description: "All units of the resource are taken. Where bookings stand in the way it is refused with 409 bookings_in_the_way, " +
			"unless force is true: then they stay, and nobody else gets the time, also once they have left. Where another block of the " +
			"resource stands it is refused with 409 block_in_the_way.",
	}, func(ctx context.Context, in *struct{ Body catalog.BlockChange }) (idempotency.Outcome, error) {
		return a.Catalog.CreateBlock(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGetVersioned(a, route{op: catalog.OpGetBlock, path: path + "/{id}", tag: tag,
		summary: "Read a block with its times"},
		a.Catalog.Block)

	register(a, route{
		op:         catalog.OpListBlocks,
		method:     http.MethodGet,
		path:       path,
		tag:        tag,
		mayBeStale: true,
		errors:     []int{422},
		summary:    "List blocks",
	}, a.listBlocks)

	register(a, route{
		op:      catalog.OpChangeBlock,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Change a block",
		description: schema.MergePatch +
			"A block that gets another time or resource is judged like a new one. A change to what is already so " +
			"keeps the version.",
	}, func(ctx context.Context, in *changeBlockInput) (*versioned[catalog.BlockBody], error) {
		return versionedOf(a.Catalog.ChangeBlock(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch,
			etag.Precondition(in.IfMatch)))
	})

	registerIdempotent[catalog.BlockBody](a, route{
		op:          catalog.OpArchiveBlock,
		method:      http.MethodPost,
		path:        path + "/{id}/archive",
		tag:         tag,
		noBody:      true,
		status:      http.StatusOK,
		errors:      []int{404, 412},
		summary:     "Free what a block takes",
		description: "The block takes nothing any more, and is in no list without archived=true.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.Catalog.ArchiveBlock(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID,
			catalog.Archiving{Archived: true},
			etag.Precondition(in.IfMatch))
	})

	registerIdempotent[catalog.BlockBody](a, route{
		op:          catalog.OpUnarchiveBlock,
		method:      http.MethodPost,
		path:        path + "/{id}/unarchive",
		tag:         tag,
		status:      http.StatusOK,
		errors:      []int{404, 412},
		summary:     "Take the time of an archived block again",
		description: "It is judged like a new block.",
	}, func(ctx context.Context, in *unarchiveBlockInput) (idempotency.Outcome, error) {
		how := catalog.Archiving{Force: in.Body != nil && in.Body.Force}
		return a.Catalog.ArchiveBlock(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, how,
			etag.Precondition(in.IfMatch))
	})
}

type listBlocksInput struct {
	paging.Input
	ArchivedInput
	ResourceID string `query:"resource_id" format:"uuid" doc:"Only those of this resource."`
	From       string `query:"from" format:"date" example:"2027-07-01" doc:"Only those that take some time on this date or later."`
	To         string `query:"to" format:"date" example:"2027-07-31" doc:"Only those that take some time on this date or before; with from, between the two."`
}

func (a *API) listBlocks(ctx context.Context, in *listBlocksInput) (*pageOutput[catalog.BlockBody], error) {
	q := catalog.BlockQuery{Archived: in.Archived}
	var err error
	if q.ResourceID, err = schema.ParseOptionalID("resource_id", in.ResourceID); err != nil {
		return nil, err
	}
	if q.From, err = datetime.ParseOptionalDate("from", in.From); err != nil {
		return nil, err
	}
	if q.To, err = datetime.ParseOptionalDate("to", in.To); err != nil {
		return nil, err
	}
	if q.AfterDate, q.AfterID, err = afterBooking(in.CursorInput); err != nil {
		return nil, err
	}
	rows, n, err := paging.Read(in.Limit, catalog.Block.JSONSize,
		func(last *catalog.Block, limit int) ([]catalog.Block, error) {
			if last != nil {
				q.AfterDate, q.AfterID = last.LastDate, last.ID
			}
			q.Limit = limit
			return a.Catalog.Blocks(ctx, callOf(ctx).tenant, q)
		})
	if err != nil {
		return nil, err
	}
	return &pageOutput[catalog.BlockBody]{paging.Of(rows, n, catalog.Block.Body,
		func(b catalog.Block) string { return b.LastDate.String() + "|" + b.ID.String() })}, nil
}

package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/operation"
	"holdfast/internal/usecase"
)

func (a *API) routeHistories() {
	for _, s := range usecase.Subjects {
		if s.Find != nil {
			a.routeHistory(s)
		}
	}
}

type historyInput struct {
	IDInput
	paging.Input
}

// routeHistory adds the route that lists who changed a thing, and what.
func (a *API) routeHistory(s usecase.Subject) {
	register(a, route{
		op: operation.Operation{Name: "list-" + s.Name + "-history", Scope: operation.ScopeRead,
			List: true},
		method:  http.MethodGet,
		path:    s.Path + "/{id}/history",
		tag:     s.Tag,
		errors:  []int{404, 422},
		summary: "List who changed a " + s.Name + ", when, and what",
		description: "The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 " +
			"days by default.",
	}, func(ctx context.Context, in *historyInput) (*pageOutput[change.HistoryEntry], error) {
		after, err := in.AfterVersion()
		if err != nil {
			return nil, err
		}
		t := callOf(ctx).tenant
		if err := s.Find(a.All, ctx, t, in.ID); err != nil {
			return nil, err
		}
		size := func(e change.HistoryEntry) int { return len(e.Before) + len(e.After) }
		rows, n, err := paging.Read(in.Limit, size, func(last *change.HistoryEntry, limit int) ([]change.HistoryEntry,
			error) {
			if last != nil {
				after = last.Version
			}
			return a.Changes.History(ctx, t.ID, in.ID, after, limit)
		})
		if err != nil {
			return nil, err
		}
		same := func(e change.HistoryEntry) change.HistoryEntry { return e }
		return &pageOutput[change.HistoryEntry]{paging.Of(rows, n, same, func(e change.HistoryEntry) string {
			return strconv.FormatInt(e.Version, 10)
		})}, nil
	})
}

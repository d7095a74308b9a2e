package holdfast

import (
	"context"
	"iter"
	"net/http"
)

// Page is a page of a list, such as a *BookingPage.
type Page[T any] interface {
	page() (items []T, next *string)
}

// All reads all pages of a list, and yields what they list. get asks for the page at a cursor, nil for the first one:
//
//	for booking, err := range holdfast.All(func(cursor *string) (*holdfast.BookingPage, error) {
//		return client.ListBookings(ctx, holdfast.ListBookingsParams{Cursor: cursor})
//	}) { … }
//
// It ends after an error.
func All[P Page[T], T any](get func(cursor *string) (P, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := (*string)(nil); ; {
			page, err := get(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			items, next := page.page()
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor = next
		}
	}
}

// FeedPage is a page of the feed. Store NextCursor in the transaction in which you handle the events.
type FeedPage struct {
	Data       []ReceivedEvent `json:"data"`
	NextCursor string          `json:"next_cursor"`
	HasMore    bool            `json:"has_more"`
}

// Feed reads the pages of the feed after a cursor, until there is nothing more for now. It ends after an error.
func Feed(ctx context.Context, client *Client, params ListEventsParams) iter.Seq2[FeedPage, error] {
	return func(yield func(FeedPage, error) bool) {
		for {
			page, err := decode[FeedPage](client.do(ctx, http.MethodGet, "/v1/events", params, nil, nil))
			if err != nil {
				yield(FeedPage{}, err)
				return
			}
			if !yield(*page, nil) || !page.HasMore {
				return
			}
			params.After = &page.NextCursor
		}
	}
}

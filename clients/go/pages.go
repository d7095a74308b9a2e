package holdfast

import (
	"context"
	"iter"
	"net/http"
)

// All reads all pages of a list, and yields what they list. get asks for the page at a cursor, nil for the first one:
//
//	for booking, err := range holdfast.All[holdfast.Booking](func(cursor *string) (*http.Response, error) {
//		return client.ListBookings(ctx, &holdfast.ListBookingsParams{Cursor: cursor})
//	}) { … }
//
// It ends after an error.
func All[T any](get func(cursor *string) (*http.Response, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := (*string)(nil); ; {
			page, err := Decode[struct {
				Data       []T    `json:"data"`
				NextCursor string `json:"next_cursor"`
			}](get(cursor))
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			cursor = &page.NextCursor
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
			page, err := Decode[FeedPage](client.ListEvents(ctx, &params))
			if !yield(page, err) || err != nil || !page.HasMore {
				return
			}
			params.After = &page.NextCursor
		}
	}
}

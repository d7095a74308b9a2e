package httpapi

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/wallet"
)

const csvType = "text/csv; charset=utf-8"

type walletEntriesInput struct {
	IDInput
	paging.Input
}

// csvOutput is a page of a list as CSV.
type csvOutput struct {
	ContentType string `header:"Content-Type"`
	Link        string `header:"Link"`
	Body        []byte
}

func (a *API) routeWalletEntries(path, tag string) {
	read := func(ctx context.Context, in *walletEntriesInput) ([]wallet.Entry, error) {
		after, err := in.AfterVersion()
		if err != nil {
			return nil, err
		}
		return a.Wallets.Entries(ctx, callOf(ctx).tenant, in.ID, after, in.Limit+1)
	}
	version := func(e wallet.Entry) string { return strconv.FormatInt(e.Version, 10) }
	r := route{
		op:          wallet.OpListWalletEntries,
		method:      http.MethodGet,
		path:        path,
		tag:         tag,
		errors:      []int{404, 422},
		summary:     "List the entries of a wallet",
		description: "The oldest come first. Each has the balance after it.",
	}
	register(a, r, func(ctx context.Context, in *walletEntriesInput) (*pageOutput[wallet.EntryBody], error) {
		list, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		return &pageOutput[wallet.EntryBody]{paging.Of(list, in.Limit, wallet.Entry.Body, version)}, nil
	})

	r.op.Name, r.path, r.summary = "list-wallet-entries-csv", path+".csv", "List the entries of a wallet as CSV"
	r.description = "As the list, a line for each entry. With another page, the header Link names it with rel=\"next\"."
	r.response = csvResponse()
	register(a, r, func(ctx context.Context, in *walletEntriesInput) (*csvOutput, error) {
		list, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		out := &csvOutput{ContentType: csvType}
		if len(list) > in.Limit {
			list = list[:in.Limit]
			out.Link = nextLink(strings.Replace(path, "{id}", in.ID.String(), 1)+".csv", in.Limit,
				version(list[in.Limit-1]), nil)
		}
		out.Body, err = entriesCSV(list)
		return out, err
	})
}

// csvResponse describes a page of a list as CSV.
func csvResponse() *huma.Response {
	text := &huma.Schema{Type: huma.TypeString}
	return &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Headers:     map[string]*huma.Param{"Link": {Description: "The next page, if there is one.", Schema: text}},
		Content:     map[string]*huma.MediaType{"text/csv": {Schema: text}},
	}
}

// nextLink returns the header Link that names the next page of a list, behind a position. Filters that are empty are
// left out.
func nextLink(path string, limit int, position string, filters url.Values) string {
	next := url.Values{"limit": {strconv.Itoa(limit)}, "cursor": {*paging.NextCursor(position)}}
	for name, value := range filters {
		if value[0] != "" {
			next[name] = value
		}
	}
	return "<" + path + "?" + next.Encode() + `>; rel="next"`
}

// entriesCSV writes entries as CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an
// apostrophe.
func entriesCSV(list []wallet.Entry) ([]byte, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.UseCRLF = true
	rows := [][]string{{
		"version", "occurred_at", "type", "amount", "balance", "held", "available", "movement_id", "hold_id",
		"other_wallet_id",
		"booking_id", "payment_id",
		"reason", "reference",
	}}
	for _, e := range list {
		rows = append(rows, []string{
			strconv.FormatInt(e.Version, 10), e.OccurredAt.Format(time.RFC3339Nano), string(e.Type),
			strconv.FormatInt(e.Amount, 10),
			strconv.FormatInt(e.Balance, 10), strconv.FormatInt(e.Held, 10), strconv.FormatInt(e.Available(), 10),
			e.LedgerTransactionID.String(),
			optionalID(e.HoldID), optionalID(e.OtherWalletID), optionalID(e.BookingID), optionalID(e.PaymentID),
			noFormula(e.Reason),
			noFormula(e.Reference),
		})
	}
	err := w.WriteAll(rows)
	return text.Bytes(), err
}

func noFormula(text string) string {
	if strings.IndexAny(strings.TrimSpace(text), "=+-@＝＋－＠") == 0 { // spreadsheets take full-width signs for plain ones
		return "'" + text
	}
	return text
}

func optionalID(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

package httpapi

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/datetime"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/payment"
)

type listPaymentsInput struct {
	paging.Input
	From      string                `query:"from" format:"date" doc:"First date, in the tenant's time zone, on which a payment succeeded or was declined. An open one counts by its last change."`
	To        string                `query:"to" format:"date" doc:"Last date."`
	Kind      payment.Kind          `query:"kind"`
	Status    payment.Status        `query:"status"`
	BookingID string                `query:"booking_id" format:"uuid"`
	Method    payment.OfflineMethod `query:"method" doc:"Only offline payments and refunds of this method."`
}

func (in *listPaymentsInput) filter() (f payment.Filter, err error) {
	f = payment.Filter{Kind: in.Kind, Status: in.Status, Method: in.Method}
	f.Limit = in.Limit + 1
	if f.From, err = datetime.ParseOptionalDate("from", in.From); err != nil {
		return f, err
	}
	if f.To, err = datetime.ParseOptionalDate("to", in.To); err != nil {
		return f, err
	}
	if f.Booking, err = schema.ParseOptionalID("booking_id", in.BookingID); err != nil {
		return f, err
	}
	parts, err := in.Parts(2)
	if err != nil || parts == nil {
		return f, err
	}
	position, ok := positionOf(parts[0], parts[1], false)
	if !ok {
		return f, paging.BadCursor()
	}
	f.AfterAt, f.AfterID = position.DueAt, position.ID
	return f, nil
}

// paymentCursor is the cursor behind a payment.
func paymentCursor(p payment.Listed) string {
	return strconv.FormatInt(p.UpdatedAt.UnixMicro(), 10) + "|" + p.ID.String()
}

func (a *API) routePaymentList(path, tag string) {
	read := func(ctx context.Context, in *listPaymentsInput) ([]payment.Listed, error) {
		f, err := in.filter()
		if err != nil {
			return nil, err
		}
		return a.Payments.ListAll(ctx, callOf(ctx).tenant, f)
	}
	r := route{
		op:         payment.OpListAllPayments,
		method:     http.MethodGet,
		mayBeStale: true,
		path:       path,
		tag:        tag,
		errors:     []int{422},
		summary:    "List payments and refunds",
		description: "In the order in which they succeeded or were declined: updated_at is when. Filters combine. An open payment " +
			"stands where it changed last, " +
			"and moves to the end of the list when it changes again.",
	}
	register(a, r, func(ctx context.Context, in *listPaymentsInput) (*pageOutput[payment.ListedBody], error) {
		list, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		return &pageOutput[payment.ListedBody]{paging.Of(list, in.Limit, payment.Listed.Body, paymentCursor)}, nil
	})

	r.op.Name, r.path, r.summary = "list-all-payments-csv", path+".csv", "List payments and refunds as CSV"
	r.description = "As the list, a line for each, for accounting: without status only those that succeeded. amount is that of the " +
		"list: above zero, for a refund too. net_amount is what the " +
		"tenant's money grew by: less than zero for a refund, and zero for what hasn't succeeded. With another page, the header Link " +
		"names it with rel=\"next\"."
	r.response = csvResponse()
	register(a, r, func(ctx context.Context, in *listPaymentsInput) (*csvOutput, error) {
		if in.Status == "" {
			in.Status = payment.StatusSucceeded
		}
		list, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		out := &csvOutput{ContentType: csvType}
		if len(list) > in.Limit {
			list = list[:in.Limit]
			out.Link = nextLink(r.path, in.Limit, paymentCursor(list[in.Limit-1]), url.Values{
				"from": {in.From}, "to": {in.To}, "kind": {string(in.Kind)}, "status": {string(in.Status)},
				"booking_id": {in.BookingID},
				"method":     {string(in.Method)},
			})
		}
		out.Body, err = paymentsCSV(list, callOf(ctx).tenant.Location)
		return out, err
	})
}

// paymentsCSV writes payments as CSV (RFC 4180). Dates are those of loc. Text that a spreadsheet would take for a
// formula begins with an apostrophe.
func paymentsCSV(list []payment.Listed, loc *time.Location) ([]byte, error) {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.UseCRLF = true
	rows := [][]string{{
		"date", "updated_at", "payment_id", "kind", "status", "amount", "net_amount", "currency", "provider",
		"provider_id",
		"payment_method", "refund_of", "wallet_id",
		"automatic", "booking_id", "booking_code", "booking_reference", "booking_external_reference", "moved_at",
		"note",
	}}
	for _, p := range list {
		rows = append(rows, []string{
			civil.DateOf(p.UpdatedAt.In(loc)).String(), p.UpdatedAt.UTC().Format(time.RFC3339Nano), p.ID.String(),
			string(p.Kind),
			string(p.Status),
			strconv.FormatInt(p.Amount, 10), strconv.FormatInt(p.Moved(), 10), p.Currency, p.Provider,
			noFormulaIn(p.ProviderID),
			noFormula(p.Method), optionalID(p.RefundOf),
			optionalID(p.WalletID), strconv.FormatBool(p.Automatic), p.BookingID.String(), p.BookingCode,
			noFormulaIn(p.BookingReference),
			noFormulaIn(p.BookingExternalReference), optionalTime(p.MovedAt), noFormulaIn(p.Note),
		})
	}
	err := w.WriteAll(rows)
	return text.Bytes(), err
}

func optionalTime(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func noFormulaIn(text *string) string {
	if text == nil {
		return ""
	}
	return noFormula(*text)
}

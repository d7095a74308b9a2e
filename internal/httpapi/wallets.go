package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/wallet"
)

// HoldInput is the wallet and the hold in a path. It is exported because huma sees embedded structs only if they are.
type HoldInput struct {
	IDInput
	HoldID uuid.UUID `path:"hold_id" format:"uuid"`
}

type walletInput struct {
	IDInput
	AsOf time.Time `query:"as_of" doc:"The wallet as it was at this time, which has passed."`
}

type walletsInput struct {
	paging.Input
	CustomerID string `query:"customer_id" format:"uuid" doc:"Only the wallets of this customer."`
}

type transferInput struct {
	IfMatchInput
	Body wallet.TransferRequest
}

// pathID returns the wallet whose version If-Match names.
func (in *transferInput) pathID() uuid.UUID { return in.Body.From }

type walletOutput struct {
	ETag string `header:"ETag"`
	Body wallet.WalletBody
}

func (a *API) routeWallets() {
	const path, ofWallet, tag = "/v1/wallets", "/v1/wallets/{id}", "Wallets"

	registerIdempotent[wallet.NewWalletBody](a, route{
		op:       wallet.OpCreateWallet,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path,
		tag:      tag,
		status:   http.StatusCreated,
		errors:   []int{404},
		summary:  "Make a wallet of a customer, or a gift card",
		description: "A customer has one wallet in a currency, and perhaps more after a merge. A wallet without a customer has a code, " +
			"which is shown in this response only: " +
			"a repeated request is answered without it.",
	}, func(ctx context.Context, in *struct{ Body wallet.CreateRequest }) (idempotency.Outcome, error) {
		return a.Wallets.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerIdempotent[wallet.NewWalletBody](a, route{
		op:          wallet.OpRotateWalletCode,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        ofWallet + "/rotate-code",
		tag:         tag,
		noBody:      true,
		status:      http.StatusCreated,
		errors:      []int{404},
		summary:     "Give a gift card another code",
		description: "The former code finds the wallet no more.",
	}, func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Wallets.RotateCode(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID)
	})

	register(a, route{
		op:          wallet.OpLookUpWallet,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        path + "/lookup",
		tag:         tag,
		errors:      []int{404, 429},
		summary:     "Find the wallet of a code",
		description: "Wrong codes are limited: after 20 of them, one in six seconds may be tried.",
	}, func(ctx context.Context, in *struct{ Body wallet.LookupRequest }) (*walletOutput, error) {
		return walletOutputOf(a.Wallets.Lookup(ctx, callOf(ctx).tenant, in.Body))
	})

	register(a, route{
		op: wallet.OpListWallets, method: http.MethodGet, path: path, tag: tag, errors: []int{422},
		summary: "List wallets",
	}, func(ctx context.Context, in *walletsInput) (*pageOutput[wallet.WalletBody], error) {
		after, err := in.AfterID()
		if err != nil {
			return nil, err
		}
		customer, err := schema.ParseOptionalID("customer_id", in.CustomerID)
		if err != nil {
			return nil, err
		}
		list, err := a.Wallets.List(ctx, callOf(ctx).tenant, customer, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		return &pageOutput[wallet.WalletBody]{paging.Of(list, in.Limit, wallet.Wallet.Body,
			func(w wallet.Wallet) string { return w.ID.String() })}, nil
	})

	showCurrent[wallet.WalletBody](a, ofWallet, a.Wallets.Get)
	showCurrent[wallet.WalletBody](a, "/v1/transfers", a.Wallets.Get)
	register(a, route{
		op:          wallet.OpGetWallet,
		method:      http.MethodGet,
		path:        ofWallet,
		tag:         tag,
		cost:        costOfWallet,
		errors:      []int{404, 422},
		summary:     "Read a wallet, now or as it was at a time",
		description: "Credit that has expired is left out.",
	}, func(ctx context.Context, in *walletInput) (*walletOutput, error) {
		if in.AsOf.IsZero() {
			return walletOutputOf(a.Wallets.Get(ctx, callOf(ctx).tenant, in.ID))
		}
		return walletOutputOf(a.Wallets.AsOf(ctx, callOf(ctx).tenant, in.ID, in.AsOf))
	})

	registerIdempotent[wallet.LedgerTransactionBody](a, route{
		op:      wallet.OpCreditWallet,
		method:  http.MethodPost,
		path:    ofWallet + "/credits",
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404, 412},
		summary: "Add credit to a wallet",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body wallet.CreditRequest
	}) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Credit(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body)
	})

	registerIdempotent[wallet.LedgerTransactionBody](a, route{
		op:          wallet.OpDebitWallet,
		method:      http.MethodPost,
		path:        ofWallet + "/debits",
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{404, 412},
		summary:     "Spend credit of a wallet",
		description: "Credit that expires soonest is spent first. 422 insufficient_funds is final for its key.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body wallet.DebitRequest
	}) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Debit(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body)
	})

	registerIdempotent[wallet.LedgerTransactionBody](a, route{
		op:          wallet.OpHoldWallet,
		method:      http.MethodPost,
		path:        ofWallet + "/holds",
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{404, 412},
		summary:     "Hold an amount of a wallet",
		description: "It can't be spent otherwise and doesn't expire until the hold is captured or released. entry.hold_id names the hold.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body wallet.DebitRequest
	}) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Hold(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body)
	})

	registerIdempotent[wallet.LedgerTransactionBody](a, route{
		op:      wallet.OpCaptureWalletHold,
		method:  http.MethodPost,
		path:    ofWallet + "/holds/{hold_id}/capture",
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404, 412},
		summary: "Spend a hold, whole or in part",
	}, func(ctx context.Context, in *struct {
		HoldInput
		IfMatchInput
		Body wallet.CaptureRequest
	}) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Capture(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.HoldID, in.Body)
	})

	registerIdempotent[wallet.LedgerTransactionBody](a, route{
		op:      wallet.OpReleaseWalletHold,
		method:  http.MethodPost,
		path:    ofWallet + "/holds/{hold_id}/release",
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404, 412},
		summary: "Release a hold",
	}, func(ctx context.Context, in *struct {
		HoldInput
		IfMatchInput
		Body wallet.Description
	}) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Release(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.HoldID, in.Body)
	})

	registerIdempotent[wallet.TransferBody](a, route{
		op:          wallet.OpTransfer,
		method:      http.MethodPost,
		path:        "/v1/transfers",
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{404, 412},
		summary:     "Move credit from one wallet to another",
		description: "Credit that expires keeps its time. If-Match names the ETag of the wallet from.",
	}, func(ctx context.Context, in *transferInput) (idempotency.Outcome, error) {
		in.Body.IfMatch = in.IfMatch
		return a.Wallets.Transfer(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	a.routeWalletEntries(ofWallet+"/entries", tag)
}

func walletOutputOf(w wallet.Wallet, err error) (*walletOutput, error) {
	if err != nil {
		return nil, err
	}
	return &walletOutput{ETag: w.ETag(), Body: w.Body()}, nil
}

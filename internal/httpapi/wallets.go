package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
)

// createWalletBody asks for a wallet.
type createWalletBody struct {
	CustomerID *uuid.UUID `json:"customer_id,omitempty" format:"uuid" doc:"The customer who owns it. Without one, the wallet gets a code: a gift card."`
	Currency   string     `json:"currency" pattern:"^[A-Z]{3}$" example:"EUR"`
}

// walletCodeBody names a wallet by its code.
type walletCodeBody struct {
	Code string `json:"code" minLength:"1" maxLength:"64" example:"7Q2M-4KXR-9D0T-HC3V-B8NE" doc:"As people write it: capital or small letters, with hyphens or without."`
}

// DescriptionBody is what the client says of a movement. It is exported because huma sees embedded structs only if they are.
type DescriptionBody struct {
	Reason    string `json:"reason,omitempty" maxLength:"200" example:"Goodwill"`
	Reference string `json:"reference,omitempty" maxLength:"200" example:"ticket 4711"`
}

func (b DescriptionBody) description(in IfMatchInput) wallet.Description {
	return wallet.Description{Reason: b.Reason, Reference: b.Reference, IfMatch: in.IfMatch}
}

type creditBody struct {
	Amount int64 `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	DescriptionBody
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When the credit ends unless it is spent or held; without it, never." example:"2028-12-31T23:00:00Z"`
}

type debitBody struct {
	Amount int64 `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	DescriptionBody
}

type captureBody struct {
	Amount *int64 `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Without it, all of the hold. With less than that, the rest can be spent again." example:"1000"`
	DescriptionBody
}

type createTransferBody struct {
	From   uuid.UUID `json:"from" format:"uuid" doc:"A wallet."`
	To     uuid.UUID `json:"to" format:"uuid" doc:"Another wallet of the same currency."`
	Amount int64     `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	DescriptionBody
}

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
	PageInput
	CustomerID string `query:"customer_id" format:"uuid" doc:"Only the wallets of this customer."`
}

type transferInput struct {
	IfMatchInput
	Body createTransferBody
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
		id: "create-wallet", method: http.MethodPost, onlyHere: true, path: path, scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated, errors: []int{404},
		summary: "Make a wallet of a customer, or a gift card",
		description: "A customer has one wallet in a currency, and perhaps more after a merge. A wallet without a customer has a code, " +
			"which is shown in this response only: " +
			"a repeated request is answered without it.",
	}, func(ctx context.Context, in *struct{ Body createWalletBody }) (idempotency.Outcome, error) {
		return a.Wallets.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body.CustomerID, in.Body.Currency)
	})

	registerIdempotent[wallet.NewWalletBody](a, route{
		id: "rotate-wallet-code", method: http.MethodPost, onlyHere: true, path: ofWallet + "/rotate-code", scope: tenant.ScopeMoney,
		tag: tag, noBody: true, status: http.StatusCreated,
		errors: []int{404}, summary: "Give a gift card another code", description: "The former code finds the wallet no more.",
	}, func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Wallets.RotateCode(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID)
	})

	register(a, route{
		id: "look-up-wallet", method: http.MethodPost, onlyHere: true, path: path + "/lookup", scope: tenant.ScopeMoney, tag: tag,
		errors: []int{404, 429}, summary: "Find the wallet of a code",
		description: "Wrong codes are limited: after 20 of them, one in six seconds may be tried.",
	}, func(ctx context.Context, in *struct{ Body walletCodeBody }) (*walletOutput, error) {
		return walletOutputOf(a.Wallets.Lookup(ctx, callOf(ctx).tenant, in.Body.Code))
	})

	register(a, route{
		id: "list-wallets", method: http.MethodGet, path: path, scope: tenant.ScopeRead, tag: tag, cost: costOfList, errors: []int{422},
		summary: "List wallets",
	}, func(ctx context.Context, in *walletsInput) (*output[page[wallet.WalletBody]], error) {
		after, err := in.afterID()
		if err != nil {
			return nil, err
		}
		customer, err := parseOptionalID("customer_id", in.CustomerID)
		if err != nil {
			return nil, err
		}
		list, err := a.Wallets.List(ctx, callOf(ctx).tenant, customer, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		return &output[page[wallet.WalletBody]]{pageOf(list, in.Limit, wallet.Wallet.Body,
			func(w wallet.Wallet) string { return w.ID.String() })}, nil
	})

	showCurrent[wallet.WalletBody](a, ofWallet, a.Wallets.Get)
	showCurrent[wallet.WalletBody](a, "/v1/transfers", a.Wallets.Get)
	register(a, route{
		id: "get-wallet", method: http.MethodGet, path: ofWallet, scope: tenant.ScopeRead, tag: tag, cost: costOfWallet,
		errors:      []int{404, 422},
		summary:     "Read a wallet, now or as it was at a time",
		description: "Credit that has expired is left out.",
	}, func(ctx context.Context, in *walletInput) (*walletOutput, error) {
		if in.AsOf.IsZero() {
			return walletOutputOf(a.Wallets.Get(ctx, callOf(ctx).tenant, in.ID))
		}
		return walletOutputOf(a.Wallets.AsOf(ctx, callOf(ctx).tenant, in.ID, in.AsOf))
	})

	registerIdempotent[wallet.MovementBody](a, route{
		id: "credit-wallet", method: http.MethodPost, path: ofWallet + "/credits", scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated, errors: []int{404, 412},
		summary: "Add credit to a wallet",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body creditBody
	},
	) (idempotency.Outcome, error) {
		return a.Wallets.Credit(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.Amount, in.Body.ExpiresAt,
			in.Body.description(in.IfMatchInput))
	})

	registerIdempotent[wallet.MovementBody](a, route{
		id: "debit-wallet", method: http.MethodPost, path: ofWallet + "/debits", scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated, errors: []int{404, 412},
		summary:     "Spend credit of a wallet",
		description: "Credit that expires soonest is spent first. 422 insufficient_funds is final for its key.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body debitBody
	},
	) (idempotency.Outcome, error) {
		return a.Wallets.Debit(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.Amount,
			in.Body.description(in.IfMatchInput))
	})

	registerIdempotent[wallet.MovementBody](a, route{
		id: "hold-wallet", method: http.MethodPost, path: ofWallet + "/holds", scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated, errors: []int{404, 412},
		summary:     "Hold an amount of a wallet",
		description: "It can't be spent otherwise and doesn't expire until the hold is captured or released. entry.hold_id names the hold.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body debitBody
	},
	) (idempotency.Outcome, error) {
		return a.Wallets.Hold(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.Amount, in.Body.description(in.IfMatchInput))
	})

	registerIdempotent[wallet.MovementBody](a, route{
		id: "capture-wallet-hold", method: http.MethodPost, path: ofWallet + "/holds/{hold_id}/capture", scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated,
		errors: []int{404, 412}, summary: "Spend a hold, whole or in part",
	}, func(ctx context.Context, in *struct {
		HoldInput
		IfMatchInput
		Body captureBody
	},
	) (idempotency.Outcome, error) {
		return a.Wallets.Capture(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.HoldID, in.Body.Amount,
			in.Body.description(in.IfMatchInput))
	})

	registerIdempotent[wallet.MovementBody](a, route{
		id: "release-wallet-hold", method: http.MethodPost, path: ofWallet + "/holds/{hold_id}/release", scope: tenant.ScopeMoney, tag: tag,
		status: http.StatusCreated,
		errors: []int{404, 412}, summary: "Release a hold",
	}, func(ctx context.Context, in *struct {
		HoldInput
		IfMatchInput
		Body DescriptionBody
	},
	) (idempotency.Outcome, error) {
		return a.Wallets.Release(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.HoldID, in.Body.description(in.IfMatchInput))
	})

	registerIdempotent[wallet.TransferBody](a, route{
		id: "transfer", method: http.MethodPost, path: "/v1/transfers", scope: tenant.ScopeMoney, tag: tag, status: http.StatusCreated,
		errors:      []int{404, 412},
		summary:     "Move credit from one wallet to another",
		description: "Credit that expires keeps its time. If-Match names the ETag of the wallet from.",
	}, func(ctx context.Context, in *transferInput) (idempotency.Outcome, error) {
		return a.Wallets.Transfer(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body.From, in.Body.To, in.Body.Amount,
			in.Body.description(in.IfMatchInput))
	})

	a.routeWalletEntries(ofWallet+"/entries", tag)
}

func walletOutputOf(w wallet.Wallet, err error) (*walletOutput, error) {
	if err != nil {
		return nil, err
	}
	return &walletOutput{ETag: w.ETag(), Body: w.Body()}, nil
}

// afterVersion returns the version that a cursor stands for, 0 without one.
func (p CursorInput) afterVersion() (int64, error) {
	parts, err := p.after(1)
	if err != nil || parts == nil {
		return 0, err
	}
	version, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || version < 1 {
		return 0, badCursor()
	}
	return version, nil
}

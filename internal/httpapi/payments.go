package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

const (
	paymentsPath = "/v1/payments"
	webhooksPath = "/webhooks/"
)

// newPaymentBody asks for a payment.
type newPaymentBody struct {
	Kind          payment.Kind `json:"kind" enum:"deposit,balance,amount" doc:"deposit and balance take what is due of them; amount takes the amount." example:"balance"`
	Amount        *int64       `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the booking's currency; only with kind amount." example:"2500"`
	PaymentMethod string       `json:"payment_method" minLength:"1" maxLength:"255" pattern:"^[!-~]+$" doc:"The payment provider's token of a payment method. The sandbox knows pm_ok, pm_declined and others." example:"pm_ok"`
}

func (b newPaymentBody) order() (payment.Order, error) {
	o := payment.Order{Kind: b.Kind, Method: b.PaymentMethod}
	switch {
	case (b.Kind == payment.Amount) != (b.Amount != nil):
		return o, problem.Invalid("amount", "invalid", "Expected with kind amount, and only then.")
	case b.Amount != nil:
		o.Amount = *b.Amount
	}
	return o, nil
}

// newRefundBody asks for a refund.
type newRefundBody struct {
	Amount *int64 `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the payment's currency; without it, all that is left of the payment." example:"1000"`
}

// paymentBody is a payment, or the refund of one.
type paymentBody struct {
	ID            uuid.UUID      `json:"id" format:"uuid"`
	BookingID     uuid.UUID      `json:"booking_id" format:"uuid"`
	RefundOf      *uuid.UUID     `json:"refund_of,omitempty" format:"uuid" doc:"The payment that this refund returns."`
	Kind          payment.Kind   `json:"kind" enum:"deposit,balance,amount,refund" example:"balance"`
	Status        payment.Status `json:"status" enum:"started,unknown,processing,succeeded,declined" example:"succeeded" doc:"unknown: the provider was asked and has not answered; it is found out without you."`
	Amount        int64          `json:"amount" example:"2500" doc:"Minor units of currency."`
	Currency      string         `json:"currency" example:"EUR"`
	PaymentMethod string         `json:"payment_method,omitempty" example:"pm_ok"`
	Provider      string         `json:"provider" example:"sandbox"`
	ProviderID    *string        `json:"provider_id,omitempty" doc:"The provider's id of it."`
	DeclineCode   *string        `json:"decline_code,omitempty" example:"insufficient_funds"`
	TryAgain      *bool          `json:"try_again,omitempty" doc:"With a decline: a new payment with the same method may succeed later."`
	ActionURL     *string        `json:"action_url,omitempty" doc:"Where the customer has to go for the payment to go on."`
	ClientSecret  *string        `json:"client_secret,omitempty" doc:"For the provider's own widget."`
	CancelAt      *time.Time     `json:"cancel_at,omitempty" doc:"With a payment that has no end yet: when it is cancelled if it has none by then."`
	Automatic     bool           `json:"automatic" doc:"A refund that Holdfast made by itself: the hold ended, or the payment came too late, was too much, or had been answered with 402."`
	CreatedAt     time.Time      `json:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
}

func paymentBodyOf(p payment.Payment) paymentBody {
	body := paymentBody{
		ID: p.ID, BookingID: p.BookingID, RefundOf: p.RefundOf, Kind: p.Kind, Status: p.Status, Amount: p.Amount, Currency: p.Currency,
		PaymentMethod: p.Method, Provider: p.Provider, ProviderID: p.ProviderID, DeclineCode: p.DeclineCode, ActionURL: p.ActionURL,
		ClientSecret: p.ClientSecret, Automatic: p.Automatic, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	if p.CancelAt != nil {
		at := p.CancelAt.UTC()
		body.CancelAt = &at
	}
	if p.Status == payment.StatusDeclined {
		body.TryAgain = &p.TryAgain
	}
	return body
}

// EncodePayment returns the response that tells of a payment or refund: 201 when the money moved, 402 when it didn't and
// won't, 422 when its payment method can't be used, 202 when the end isn't known yet.
func EncodePayment(p payment.Payment) (idempotency.Response, error) {
	location := paymentsPath + "/" + p.ID.String()
	switch p.Status {
	case payment.StatusSucceeded:
		return respond(http.StatusCreated, location, "", paymentBodyOf(p))
	case payment.StatusDeclined:
		if p.MethodError() != "" {
			return encodeMethodError(p, location)
		}
		detail := "The payment was declined. Try again with a new Idempotency-Key and another payment method."
		if p.TryAgain {
			detail = "The payment was declined. The same payment method may work later, with a new Idempotency-Key."
		}
		if p.RefundOf != nil {
			detail = "The provider refused the refund."
		}
		document := problem.DocumentOf(problem.New(problem.PaymentDeclined, detail))
		document.PaymentID, document.TryAgain = p.ID.String(), &p.TryAgain
		if p.DeclineCode != nil {
			document.DeclineCode = *p.DeclineCode
		}
		return idempotency.Response{Status: document.Status, Location: location, Body: document.JSON()}, nil
	case payment.StatusStarted, payment.StatusUnknown, payment.StatusProcessing:
	}
	return respond(http.StatusAccepted, location, "", paymentBodyOf(p))
}

// EncodeCancelled returns the response to a request to cancel a payment: 200 when the payment is cancelled, 202 when it will be.
func EncodeCancelled(p payment.Payment) (idempotency.Response, error) {
	status := http.StatusAccepted
	if p.Status == payment.StatusDeclined {
		status = http.StatusOK
	}
	return respond(status, "", "", paymentBodyOf(p))
}

// encodeMethodError returns the response that tells of a payment whose payment method can't be used.
func encodeMethodError(p payment.Payment, location string) (idempotency.Response, error) {
	detail := "The payment provider has no such payment method."
	if p.MethodError() == payment.UnusableMethod {
		detail = "The payment method can't be used for this payment: it was used up or detached, belongs to a customer, or isn't for this currency."
	}
	document := problem.DocumentOf(problem.Invalid("payment_method", string(p.MethodError()), detail))
	document.PaymentID = p.ID.String()
	return idempotency.Response{Status: document.Status, Location: location, Body: document.JSON()}, nil
}

// EncodeRefusal returns the response of a refusal that is final for its idempotency key.
func EncodeRefusal(err error) (idempotency.Response, error) {
	document := problem.DocumentOf(err)
	return idempotency.Response{Status: document.Status, Body: document.JSON()}, nil
}

// balanceBody is what was paid for a booking and what is due.
type balanceBody struct {
	Total      int64  `json:"total" example:"10000" doc:"The booking's price. All amounts are minor units of currency."`
	DepositDue int64  `json:"deposit_due" example:"0" doc:"What is still to pay of the deposit."`
	Paid       int64  `json:"paid" example:"10000"`
	Refunded   int64  `json:"refunded" example:"2500"`
	Returning  int64  `json:"returning" example:"0" doc:"Refunds that are on their way."`
	Due        int64  `json:"due" example:"2500" doc:"What is still to pay in all; zero for a booking that won't take place."`
	Currency   string `json:"currency" example:"EUR"`
}

type paymentsInput struct {
	IDInput
	PageInput
}

// callsProvider reports whether a route's requests wait for the payment provider.
func callsProvider(c *gin.Context) bool {
	route := c.FullPath()
	if c.Request.Method != http.MethodPost {
		return false
	}
	return route == "/v1/bookings/:id/payments" || route == paymentsPath+"/:id/refunds" || route == paymentsPath+"/:id/cancel"
}

// moves completes an operation that moves money: its end may not be known when it answers.
func moves(a *API, op huma.Operation) huma.Operation {
	op.DefaultStatus, op.Errors = http.StatusCreated, []int{400, 401, 402, 404, 409, 413, 415, 422, 503}
	return orAccepted(idempotent[paymentBody](a, op))
}

// orAccepted adds the answer that tells of a payment without an end.
func orAccepted(op huma.Operation) huma.Operation {
	accepted := *op.Responses[strconv.Itoa(op.DefaultStatus)]
	accepted.Description = "Accepted: the end isn't known yet. Repeat the request with the same key, or read the payment."
	op.Responses[strconv.Itoa(http.StatusAccepted)] = &accepted
	return op
}

func (a *API) routePayments() {
	const booking = "/v1/bookings/{id}"
	tags := []string{"Payments"}
	security := []map[string][]string{{schemeAPIKey: {}}}

	huma.Register(a.huma, moves(a, huma.Operation{
		OperationID: "create-payment", Method: http.MethodPost, Path: booking + "/payments",
		Summary: "Take a booking's deposit, its balance, or an amount",
		Description: "However often it is repeated with one key, money is taken once. 402 says that none was taken; decline_code says why, " +
			"and try_again whether the same payment method may work later.",
		Tags: tags, Security: security,
	}), func(ctx context.Context, in *struct {
		IDInput
		Body newPaymentBody
	},
	) (*storedOutput, error) {
		o, err := in.Body.order()
		if err != nil {
			return nil, err
		}
		return stored(a.Payments.Pay(ctx, tenantOf(ctx).ID, idempotencyOf(ctx), in.ID, o))
	})

	huma.Register(a.huma, moves(a, huma.Operation{
		OperationID: "create-refund", Method: http.MethodPost, Path: paymentsPath + "/{id}/refunds",
		Summary: "Return a payment, whole or in part", Tags: tags, Security: security,
	}), func(ctx context.Context, in *struct {
		IDInput
		Body newRefundBody
	},
	) (*storedOutput, error) {
		return stored(a.Payments.Refund(ctx, tenantOf(ctx).ID, idempotencyOf(ctx), in.ID, in.Body.Amount))
	})

	huma.Register(a.huma, orAccepted(idempotent[paymentBody](a, huma.Operation{
		OperationID: "cancel-payment", Method: http.MethodPost, Path: paymentsPath + "/{id}/cancel",
		Summary: "End a payment that has no end yet",
		Description: "For a customer who doesn't come back from the bank's page: the payment is cancelled at the provider, so that it can't " +
			"succeed any more, and the booking is free for another one. 200: it is declined with decline_code cancelled. 202: it can't be " +
			"ended yet, and will be as soon as possible, unless it succeeds first. 409: it has another end. Refund it if it has succeeded.",
		Tags: tags, Security: security, DefaultStatus: http.StatusOK, Errors: []int{400, 401, 404, 409, 413, 415, 422, 503},
	})), func(ctx context.Context, in *IDInput) (*storedOutput, error) {
		if err := noBody(ctx); err != nil {
			return nil, err
		}
		return stored(a.Payments.Cancel(ctx, tenantOf(ctx).ID, idempotencyOf(ctx), in.ID))
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "get-payment", Method: http.MethodGet, Path: paymentsPath + "/{id}", Summary: "Read a payment or refund",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 503},
	}, func(ctx context.Context, in *IDInput) (*struct{ Body paymentBody }, error) {
		p, err := a.Payments.Get(ctx, tenantOf(ctx).ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body paymentBody }{paymentBodyOf(p)}, nil
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "list-payments", Method: http.MethodGet, Path: booking + "/payments", Summary: "List a booking's payments and refunds",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 422, 503},
	}, func(ctx context.Context, in *paymentsInput) (*struct{ Body page[paymentBody] }, error) {
		after, err := in.afterID()
		if err != nil {
			return nil, err
		}
		list, err := a.Payments.List(ctx, tenantOf(ctx).ID, in.ID, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		return &struct{ Body page[paymentBody] }{pageOf(list, in.Limit, paymentBodyOf, func(p payment.Payment) string { return p.ID.String() })}, nil
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "get-balance", Method: http.MethodGet, Path: booking + "/balance", Summary: "Read what was paid for a booking and what is due",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 503},
	}, func(ctx context.Context, in *IDInput) (*struct{ Body balanceBody }, error) {
		m, err := a.Payments.Money(ctx, tenantOf(ctx).ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body balanceBody }{balanceBody{
			Total: m.Total, DepositDue: m.DepositDue, Paid: m.Paid, Refunded: m.Refunded, Returning: m.Returning, Due: m.Due, Currency: m.Currency,
		}}, nil
	})

	// Providers call this, not clients: it is no part of the document, and its signature is its key.
	a.engine.POST(webhooksPath+":provider", func(c *gin.Context) {
		switch err := a.Payments.Hear(c.Request.Context(), c.Param("provider"), c.Request.Header, rawBody(c.Request.Context())); {
		case errors.Is(err, payment.ErrSignature):
			writeProblem(c, problem.New(problem.Unauthenticated, "The webhook's signature is not valid."))
		case err != nil:
			writeProblem(c, err) // the provider delivers it again
		default:
			c.Status(http.StatusNoContent)
		}
	})
}

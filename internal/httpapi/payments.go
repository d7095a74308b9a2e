package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

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
	return orAccepted(idempotent[payment.PaymentBody](a, op))
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

	huma.Register(a.huma, orAccepted(idempotent[payment.PaymentBody](a, huma.Operation{
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
	}, func(ctx context.Context, in *IDInput) (*struct{ Body payment.PaymentBody }, error) {
		p, err := a.Payments.Get(ctx, tenantOf(ctx).ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body payment.PaymentBody }{p.Body()}, nil
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "list-payments", Method: http.MethodGet, Path: booking + "/payments", Summary: "List a booking's payments and refunds",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 422, 503},
	}, func(ctx context.Context, in *paymentsInput) (*struct{ Body page[payment.PaymentBody] }, error) {
		after, err := in.afterID()
		if err != nil {
			return nil, err
		}
		list, err := a.Payments.List(ctx, tenantOf(ctx).ID, in.ID, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		return &struct{ Body page[payment.PaymentBody] }{pageOf(list, in.Limit, payment.Payment.Body, func(p payment.Payment) string { return p.ID.String() })}, nil
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "get-balance", Method: http.MethodGet, Path: booking + "/balance", Summary: "Read what was paid for a booking and what is due",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 503},
	}, func(ctx context.Context, in *IDInput) (*struct{ Body payment.BalanceBody }, error) {
		m, err := a.Payments.Money(ctx, tenantOf(ctx).ID, in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body payment.BalanceBody }{m.Body()}, nil
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

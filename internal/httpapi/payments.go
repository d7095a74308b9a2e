package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

type paymentsInput struct {
	IDInput
	paging.Input
}

func (a *API) routePayments() {
	const ofBooking, path, tag = "/v1/bookings/{id}", "/v1/payments", "Payments"

	registerIdempotent[payment.PaymentBody](a, route{
		op:     payment.OpCreatePayment,
		method: http.MethodPost,
		path:   ofBooking + "/payments",
		tag:    tag,

		status:       http.StatusCreated,
		maybeUnknown: true,
		errors:       []int{402, 404, 412},
		summary:      "Take a booking's deposit, its balance, or an amount",
		description: "However often it is repeated with one key, money is taken once. 402 says that none was taken; decline_code says " +
			"why, and try_again whether the same payment method may work later. With checkout the answer is 202, and action_url the " +
			"provider's page: send the customer there. The payment is processing until the customer has paid; the page ends at " +
			"cancel_at. A wallet's part beside a payment method is held until " +
			"the payment's end is known. Then it becomes a payment of its own, or can be spent again. 422 insufficient_funds is final " +
			"for its key: the wallet has too little, and nothing else pays the rest. With offline you say that you have " +
			"the money, and no provider is asked. If-Match names the ETag of the booking.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body payment.PayRequest
	}) (idempotency.Outcome, error) {
		in.Body.Allowed = etag.Precondition(in.IfMatch)
		return a.Payments.Pay(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.Body)
	})

	registerIdempotent[payment.PaymentBody](a, route{
		op:           payment.OpCreateRefund,
		method:       http.MethodPost,
		path:         path + "/{id}/refunds",
		tag:          tag,
		status:       http.StatusCreated,
		maybeUnknown: true,
		errors:       []int{402, 404, 412},
		summary:      "Return a payment, whole or in part",
		description: "If the booking is overpaid, that comes back first. What is returned beyond it lowers what the booking owes, so " +
			"that it isn't asked for again; " +
			"with owed_again it is due again. offline says that you have handed the money back, and how: always of a payment that was " +
			"received offline, and of another one if it can't go back the way it came. If-Match names the ETag of the booking.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body payment.RefundRequest
	}) (idempotency.Outcome, error) {
		in.Body.Allowed = etag.Precondition(in.IfMatch)
		return a.Payments.Refund(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, in.Body)
	})
	a.currents[path+"/{id}/refunds"] = a.bookingOfPayment

	registerIdempotent[payment.PaymentBody](a, route{
		op:      payment.OpCompleteRefund,
		method:  http.MethodPost,
		path:    path + "/{id}/complete",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Say that the money of an open offline refund was handed back",
		description: "A booking that ended leaves such a refund where Holdfast would have refunded a card: it is processing until you " +
			"have handed all of its amount back. 409 invalid_state: it is complete, or no offline refund. If-Match names the ETag of " +
			"the booking.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body payment.OfflineRefund
	}) (idempotency.Outcome, error) {
		done := payment.CompleteRequest{OfflineRefund: in.Body, Allowed: etag.Precondition(in.IfMatch)}
		return a.Payments.CompleteRefund(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, done)
	})
	a.currents[path+"/{id}/complete"] = a.bookingOfPayment

	registerIdempotent[payment.PaymentBody](a, route{
		op:           payment.OpRefundOverpaid,
		method:       http.MethodPost,
		path:         ofBooking + "/refunds",
		tag:          tag,
		noBody:       true,
		status:       http.StatusCreated,
		maybeUnknown: true,
		errors:       []int{402, 404, 412},
		summary:      "Return what a booking is overpaid by",
		description: "Out of the latest payment of which something is left, and at most that. If overpaid of the balance isn't 0 " +
			"afterwards, ask again with a new key: " +
			"the payment before comes next. 409 invalid_state: the booking isn't overpaid, or what is left of its payments was received " +
			"offline.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.Payments.RefundOverpaid(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID,
			etag.Precondition(in.IfMatch))
	})

	registerIdempotent[payment.PaymentBody](a, route{
		op:           payment.OpCancelPayment,
		method:       http.MethodPost,
		path:         path + "/{id}/cancel",
		tag:          tag,
		noBody:       true,
		status:       http.StatusOK,
		maybeUnknown: true,
		errors:       []int{404},
		summary:      "End a payment that has no end yet",
		description: "For a customer who doesn't come back from the provider's or the bank's page: the payment is cancelled at the " +
			"provider, so that it can't succeed any more, and the booking is free for another one. 200: it is declined with " +
			"decline_code cancelled. " +
			"202: it can't be ended yet, and will be as soon as possible, unless it succeeds first. 409: it has another end. " +
			"Refund it if it has succeeded.",
	}, func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Payments.Cancel(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID)
	})

	a.routePaymentList(path, tag)
	a.routePaymentAccounts()
	a.routeOfflineDays(path, tag)
	a.routeOwnReconciliation(tag)

	registerGet(a, route{op: payment.OpGetPayment, path: path + "/{id}", tag: tag, summary: "Read a payment or refund"},
		func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.Payment, error) {
			return a.Payments.Get(ctx, t.ID, id)
		},
		payment.Payment.Body)

	register(a, route{
		op:         payment.OpListPayments,
		method:     http.MethodGet,
		mayBeStale: true,
		path:       ofBooking + "/payments",
		tag:        tag,
		errors:     []int{404, 422},
		summary:    "List a booking's payments and refunds",
	}, func(ctx context.Context, in *paymentsInput) (*pageOutput[payment.PaymentBody], error) {
		after, err := in.AfterID()
		if err != nil {
			return nil, err
		}
		list, err := a.Payments.List(ctx, callOf(ctx).tenant.ID, in.ID, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		return &pageOutput[payment.PaymentBody]{
			paging.Of(list, in.Limit, payment.Payment.Body, func(p payment.Payment) string { return p.ID.String() }),
		}, nil
	})

	registerGet(a, route{op: payment.OpGetBalance, path: ofBooking + "/balance", tag: tag,
		summary: "Read what was paid for a booking and what is due"},
		func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.BalanceSummary, error) {
			return a.Payments.BalanceSummary(ctx, t.ID, id)
		},
		func(summary payment.BalanceSummary) payment.BalanceSummary { return summary })

	// Providers call this, not clients: it is no part of the document, and its signature is its key.
	a.Edge.Routes("/webhooks", edge.FromWebhook).POST("/:provider", func(c *gin.Context) {
		if err := a.handleWebhook(c); err != nil {
			edge.WriteProblem(c, err) // the provider delivers it again
			return
		}
		c.Status(http.StatusNoContent)
	})
}

// bookingOfPayment reads the booking of a payment: its version is what If-Match of a refund names.
func (a *API) bookingOfPayment(ctx context.Context, id uuid.UUID) (string, any, error) {
	p, err := a.Payments.Get(ctx, callOf(ctx).tenant.ID, id)
	if err != nil {
		return "", nil, err
	}
	b, err := a.Bookings.Get(ctx, callOf(ctx).tenant, p.BookingID)
	if err != nil {
		return "", nil, err
	}
	return b.ETag(), b.Body(), nil
}

// handleWebhook checks the signature before admission: anybody can send what isn't signed.
func (a *API) handleWebhook(c *gin.Context) error {
	if err := edge.ReadRequest(c); err != nil {
		return err
	}
	w, err := a.Payments.ReadWebhook(c.Param("provider"), c.Request.Header, edge.RawBody(c.Request.Context()))
	switch {
	case errors.Is(err, payment.ErrSignature):
		return problem.New(problem.Unauthenticated, "The webhook's signature is not valid.")
	case err != nil, w == nil: // nil is about nothing of ours
		return err
	}
	leave, err := a.admission.Admit(c, admission.Request{Client: admission.Providers, Cost: 1})
	if err != nil {
		return err
	}
	defer leave()
	return a.Payments.HandleWebhook(c.Request.Context(), w)
}

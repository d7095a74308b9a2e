package httpapi

import (
	"context"
	"net/http"
	"path"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
)

type newHoldPaymentInput struct {
	IDInput
	IfMatchInput
	Body payment.HoldPayRequest
}

func (a *API) routeHoldPayments(path, tag string) {
	register(a, route{
		op: payment.OpGetPaymentOptions, method: http.MethodGet, path: "/v1/payment-options", tag: tag,

		summary: "Read how visitors can pay",
		description: "What a page must know before it makes a payment method, and whether payments are taken at all: ask before you " +
			"offer what has a deposit.",
	}, func(ctx context.Context, _ *struct{}) (*output[payment.OptionsBody], error) {
		o, err := a.Payments.Options(ctx, callOf(ctx).tenant.ID)
		if err != nil {
			return nil, err
		}
		return &output[payment.OptionsBody]{o.Body()}, nil
	})

	registerShown[payment.HoldPaymentBody](a, route{
		op:           payment.OpPayHold,
		method:       http.MethodPost,
		path:         path + "/{id}/payments",
		tag:          tag,
		status:       http.StatusCreated,
		maybeUnknown: true,
		errors:       []int{402, 404, 412},
		summary:      "Pay a hold's deposit, or all of its price",
		description: "However often it is repeated with one key, money is taken once. 402 says that none was taken; decline_code says " +
			"why, and try_again whether the same payment method may work later. 202: the visitor has to act, at action_url or with " +
			"client_secret, or the provider hasn't decided yet. Then read the payment.",
	}, func(ctx context.Context, in *newHoldPaymentInput) (idempotency.Outcome, error) {
		order, err := in.Body.PayRequest(callOf(ctx).tenant)
		if err != nil {
			return idempotency.Outcome{}, err
		}
		if _, err := a.Bookings.GetHold(ctx, callOf(ctx).tenant, in.ID); err != nil {
			return idempotency.Outcome{}, err
		}
		giveBack, err := callOf(ctx).takePayment()
		if err != nil {
			return idempotency.Outcome{}, err
		}
		order.Allowed = etag.Precondition(in.IfMatch)
		response, err := a.Payments.Pay(ctx, callOf(ctx).tenant.ID, callOf(ctx).idempotency, in.ID, order)
		if response.Replayed || payment.RefusedBeforeProvider(err) {
			giveBack()
		}
		return response, err
	}, showHoldPayment)

	register(a, route{
		op: payment.OpGetHoldPayment, method: http.MethodGet, path: path + "/{id}/payments/{payment_id}", tag: tag,
		errors: []int{404}, summary: "Read a payment for a hold",
	}, func(ctx context.Context, in *struct {
		IDInput
		PaymentID uuid.UUID `path:"payment_id" format:"uuid"`
	}) (*output[payment.HoldPaymentBody], error) {
		t := callOf(ctx).tenant
		if _, err := a.Bookings.GetHold(ctx, t, in.ID); err != nil {
			return nil, err
		}
		p, err := a.Payments.HoldPayment(ctx, t.ID, in.ID, in.PaymentID)
		if err != nil {
			return nil, err
		}
		return &output[payment.HoldPaymentBody]{p.Body()}, nil
	})
}

// showHoldPayment has a visitor shown the payment. What is stored is the payment as its tenant sees it.
func showHoldPayment(in *newHoldPaymentInput, out *storedOutput) error {
	if out.Location != "" {
		out.Location = holdsPath + "/" + in.ID.String() + "/payments/" + path.Base(out.Location)
	}
	return showAs(out, payment.PaymentBody.OfHold)
}

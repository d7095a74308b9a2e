package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// holdChangeInput changes a hold.
type holdChangeInput struct {
	IDInput
	IfMatchInput
}

// holdsPath is where visitors find holds.
const holdsPath = "/v1/holds"

// showHold has a visitor shown the hold. What is stored is the booking, as for every other request, so that a change is
// recorded once.
func showHold[I any](_ *I, out *storedOutput) (err error) {
	if out.Location != "" {
		out.Location = holdsPath + "/" + path.Base(out.Location)
	}
	return showAs(out, booking.BookingBody.Hold)
}

// showAs replaces what an answer shows by another view of it. A refusal stays.
func showAs[T, V any](out *storedOutput, view func(T) V) (err error) {
	if out.Status >= http.StatusBadRequest {
		return nil
	}
	var stored T
	if err := json.Unmarshal(out.Body, &stored); err != nil {
		return fmt.Errorf("read a stored response: %w", err)
	}
	out.Body, err = idempotency.Encode(view(stored))
	return err
}

// routeHolds adds the routes by which visitors of a tenant's website book. They are about holds that were made here,
// and about no other booking.
func (a *API) routeHolds() {
	const path, tag = holdsPath, "Holds"

	registerShown[booking.HoldBody](a, route{
		op:      booking.OpCreateHold,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404},
		summary: "Hold a date, a slot or a stay, as a visitor of a website",
		description: "Nobody else can have the same units while the hold lasts. Then pay for it, if its service has a deposit, and " +
			"confirm it. The id is all that is needed to go on with the hold. What is given of the customer stays with this booking; of " +
			"a customer who is known it changes nothing. With a publishable key it takes no more than limits of the tenant's website.",
	}, func(ctx context.Context, in *struct{ Body booking.HoldRequest }) (idempotency.Outcome, error) {
		n, err := in.Body.Create(callOf(ctx).tenant.Scopes.Publishable())
		if err != nil {
			return idempotency.Outcome{}, err
		}
		giveBack, err := callOf(ctx).takeHold(n.UnitNights())
		if err != nil {
			return idempotency.Outcome{}, err
		}
		response, err := a.Bookings.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, n)
		if response.Replayed || err != nil && !problem.Is(err, problem.OutcomeUnknown) {
			giveBack()
		}
		return response, err
	}, showHold)

	registerGetVersioned(a, route{
		op: booking.OpGetHold, path: path + "/{id}", tag: tag, summary: "Read a hold, and what became of it",
		description: "404 for a booking that wasn't made by POST /v1/holds, and an hour after the hold was confirmed or ended.",
	}, a.Bookings.GetHold)

	registerShown[booking.HoldBody](a, route{
		op:      booking.OpConfirmHold,
		method:  http.MethodPost,
		path:    path + "/{id}/confirm",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Confirm a hold",
		description: "409 deposit_due: the deposit must be paid first. A service may say that the payment of the deposit confirms its " +
			"holds; then there is nothing left to confirm.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *booking.ConfirmHoldRequest
	}) (idempotency.Outcome, error) {
		t, change := callOf(ctx).tenant, valueOf(in.Body).Amend()
		if _, err := a.Bookings.GetHold(ctx, t, in.ID); err != nil {
			return idempotency.Outcome{}, err
		}
		return a.Bookings.Confirm(ctx, t, callOf(ctx).idempotency, in.ID, change, etag.Precondition(in.IfMatch))
	}, showHold)

	registerShown[booking.HoldBody](a, route{
		op:      booking.OpReleaseHold,
		method:  http.MethodPost,
		path:    path + "/{id}/release",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Give a hold back",
		description: "Its time is free at once. What was paid is refunded automatically. 409 invalid_state: it is confirmed, and only " +
			"the tenant can cancel it.",
	}, func(ctx context.Context, in *holdChangeInput) (idempotency.Outcome, error) {
		t := callOf(ctx).tenant
		if _, err := a.Bookings.GetHold(ctx, t, in.ID); err != nil {
			return idempotency.Outcome{}, err
		}
		return a.Bookings.Transition(ctx, t, callOf(ctx).idempotency, in.ID, booking.Release,
			etag.Precondition(in.IfMatch))
	}, showHold)

	a.routeHoldPayments(path, tag)
}

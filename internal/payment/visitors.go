package payment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// HoldPayment is a payment for a hold, as a visitor of the tenant's website sees it.
type HoldPayment struct{ Payment }

// HoldPayment returns a payment by card of a visitor's hold. Errors: problem.NotFound, also for a payment of another booking, for a refund,
// for a payment from a wallet and for an offline one; problem.DatabaseUnavailable.
func (s *Service) HoldPayment(ctx context.Context, tenant, hold, id uuid.UUID) (HoldPayment, error) {
	p, err := s.Get(ctx, tenant, id)
	if err == nil && (p.BookingID != hold || p.RefundOf != nil || p.Provider == walletProvider || p.Provider == offlineProvider) {
		err = problem.Missing()
	}
	return HoldPayment{p}, err
}

// HoldPaymentBody is a payment for a hold.
type HoldPaymentBody struct {
	ID           uuid.UUID  `json:"id" format:"uuid"`
	Kind         Kind       `json:"kind" enum:"deposit,balance,amount" example:"deposit"`
	Status       Status     `json:"status" enum:"started,unknown,processing,succeeded,declined" example:"succeeded" doc:"unknown: the provider was asked and has not answered; it is found out without you."`
	Amount       int64      `json:"amount" example:"1000" doc:"Minor units of currency."`
	Currency     string     `json:"currency" example:"EUR"`
	DeclineCode  *string    `json:"decline_code,omitempty" example:"insufficient_funds"`
	TryAgain     *bool      `json:"try_again,omitempty" doc:"With a decline: a new payment with the same method may succeed later."`
	ActionURL    *string    `json:"action_url,omitempty" doc:"Where the visitor has to go for the payment to go on."`
	ClientSecret *string    `json:"client_secret,omitempty" doc:"For the provider's own widget."`
	CancelAt     *time.Time `json:"cancel_at,omitempty" doc:"With a payment that has no end yet: when it is cancelled if it has none by then."`
	CreatedAt    time.Time  `json:"created_at"`
}

// Body returns the payment as a visitor sees it.
func (p HoldPayment) Body() HoldPaymentBody { return p.Payment.Body().ofHold() }

func (b PaymentBody) ofHold() HoldPaymentBody {
	return HoldPaymentBody{
		ID: b.ID, Kind: b.Kind, Status: b.Status, Amount: b.Amount, Currency: b.Currency, DeclineCode: b.DeclineCode, TryAgain: b.TryAgain,
		ActionURL: b.ActionURL, ClientSecret: b.ClientSecret, CancelAt: b.CancelAt, CreatedAt: b.CreatedAt,
	}
}

// HoldResponse returns what a visitor is shown of the response to a payment for a hold. What is stored is the payment as its tenant sees
// it.
func HoldResponse(hold uuid.UUID, resp idempotency.Response) (idempotency.Response, error) {
	shown, err := resp, error(nil)
	if resp.Status < http.StatusBadRequest {
		var b PaymentBody
		if err := json.Unmarshal(resp.Body, &b); err != nil {
			return resp, fmt.Errorf("read the response to a payment: %w", err)
		}
		shown, err = idempotency.NewResponse(resp.Status, "", resp.ETag, b.ofHold())
		shown.Replayed = resp.Replayed
	}
	if len(resp.Location) > len(paymentsPath) {
		shown.Location = "/v1/holds/" + hold.String() + "/payments/" + resp.Location[len(paymentsPath):]
	}
	return shown, err
}

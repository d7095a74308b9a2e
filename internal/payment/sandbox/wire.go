package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/payment"
)

// The types of the API. The journal stores charges, refunds and transactions in the same format.

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
	headerSignature      = "Sandbox-Signature"
	headerAccount        = "Sandbox-Account"
	maxKeyLength         = 255
	maxDescription       = 1000
	maxBody              = 64 << 10
	defaultPage          = 100
	maxPage              = 1000
	cursorParameter      = "cursor"
	fromParameter        = "from"
	untilParameter       = "until"
	limitParameter       = "limit"
	tenantParameter      = "tenant_id"
	idParameter          = "reference_id"
	outcomeParameter     = "outcome"
	maxReturnURL         = 5000
)

type reference struct {
	TenantID uuid.UUID `json:"tenant_id"`
	ID       uuid.UUID `json:"id"`
}

type chargeRequest struct {
	Reference   reference `json:"reference"`
	Amount      int64     `json:"amount"`
	Currency    string    `json:"currency"`
	Method      string    `json:"method,omitempty"`
	Checkout    *checkout `json:"checkout,omitempty"`
	Description string    `json:"description,omitempty"`
	// ApplicationFee is what the platform keeps of a charge in an account.
	ApplicationFee int64             `json:"application_fee,omitzero"`
	Metadata       map[string]string `json:"metadata,omitempty"`
}

// checkout is a charge's page, in place of a method.
type checkout struct {
	ReturnURL string    `json:"return_url"`
	CancelURL string    `json:"cancel_url,omitzero"` // empty: the customer who doesn't pay goes to ReturnURL
	ExpiresAt time.Time `json:"expires_at"`
}

type refundRequest struct {
	Reference reference `json:"reference"`
	Charge    string    `json:"charge"`
	Amount    int64     `json:"amount"`
	Currency  string    `json:"currency"`
	// ReturnFee gives the platform's fee of the charge back, in proportion.
	ReturnFee bool `json:"return_fee,omitzero"`
}

type status string

const (
	succeeded      status = "succeeded"
	requiresAction status = "requires_action"
	declined       status = "declined"
)

type charge struct {
	ID      string `json:"id"`
	Account string `json:"account,omitempty"` // empty: the platform's own
	chargeRequest
	// FeeReturned is what the platform gave back of ApplicationFee.
	FeeReturned int64     `json:"fee_returned,omitzero"`
	Status      status    `json:"status"`
	DeclineCode string    `json:"decline_code,omitempty"`
	TryAgain    bool      `json:"try_again,omitzero"`
	ActionURL   string    `json:"action_url,omitempty"` // not in the journal: it has the request's host
	Refunded    int64     `json:"refunded"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

type refund struct {
	ID      string `json:"id"`
	Account string `json:"account,omitempty"`
	refundRequest
	Status      status    `json:"status"`
	DeclineCode string    `json:"decline_code,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
}

type transaction struct {
	Type      string    `json:"type"` // charge or refund
	Account   string    `json:"account,omitempty"`
	ID        string    `json:"id"`
	Reference reference `json:"reference"`
	Amount    int64     `json:"amount"`
	Currency  string    `json:"currency"`
	At        time.Time `json:"at"`
}

const (
	typeCharge = "charge"
	typeRefund = "refund"
)

type list[T any] struct {
	Data       []T    `json:"data"`
	NextCursor string `json:"next_cursor,omitempty"`
}

const (
	chargeSucceeded = "charge.succeeded"
	chargeDeclined  = "charge.declined"
	refundSucceeded = "refund.succeeded"
	refundFailed    = "refund.failed"
	accountUpdated  = "account.updated"
)

// event is the body of a webhook.
type event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Account   string    `json:"account,omitempty"`  // in which it happened
	TenantID  uuid.UUID `json:"tenant_id,omitzero"` // of account.updated
	Charge    *charge   `json:"charge,omitempty"`
	Refund    *refund   `json:"refund,omitempty"`
}

type errorCode string

const (
	codeAlreadySettled errorCode = "already_settled"
	codeBodyTooLarge   errorCode = "body_too_large"
	codeInternal       errorCode = "internal_error"
	codeInvalid        errorCode = "invalid_request"
	codeKeyInUse       errorCode = "idempotency_key_in_use"
	codeKeyReused      errorCode = "idempotency_key_reused"
	codeNotFound       errorCode = "not_found"
	codeRateLimited    errorCode = "rate_limited"
	codeUnauthorized   errorCode = "unauthorized"
	codeUnavailable    errorCode = "unavailable"
	codeUnknownMethod  errorCode = "unknown_method"
	codeNoAccount      errorCode = "no_account"
)

type errorDocument struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code    errorCode `json:"code"`
	Message string    `json:"message"`
}

// apiError is an error document with its status.
type apiError struct {
	errorDetail
	status int
}

// Is has an account that doesn't exist be payment.ErrNoAccount.
func (e *apiError) Is(target error) bool {
	return target == payment.ErrNoAccount && e.Code == codeNoAccount
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%d %s: %s: %s", e.status, http.StatusText(e.status), e.Code, e.Message)
}

// outcome returns an error for a status that the sandbox doesn't use: the response is from another server.
func (c charge) outcome() (payment.Outcome, error) {
	outcome := payment.Outcome{ProviderID: c.ID}
	switch c.Status {
	case succeeded:
		outcome.Result, outcome.Amount, outcome.Currency = payment.Succeeded, c.Amount, c.Currency
	case requiresAction:
		outcome.Result, outcome.ActionURL = payment.Processing, c.ActionURL
	case declined:
		outcome.Result, outcome.DeclineCode, outcome.TryAgain = payment.Declined, c.DeclineCode, c.TryAgain
	default:
		return payment.Outcome{}, errNoOutcome
	}
	return outcome, nil
}

func (r refund) outcome() (payment.Outcome, error) {
	outcome := payment.Outcome{ProviderID: r.ID}
	switch r.Status {
	case succeeded:
		outcome.Result, outcome.Amount, outcome.Currency = payment.Succeeded, r.Amount, r.Currency
	case declined:
		outcome.Result, outcome.DeclineCode = payment.Declined, r.DeclineCode
	default:
		return payment.Outcome{}, errNoOutcome
	}
	return outcome, nil
}

var errNoOutcome = errors.New("the answer has no status that the sandbox gives")

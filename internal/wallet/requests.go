package wallet

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// CreateRequest asks for a wallet.
type CreateRequest struct {
	CustomerID *uuid.UUID `json:"customer_id,omitempty" format:"uuid" doc:"The customer who owns it. Without one, the wallet gets a code: a gift card."`
	Currency   string     `json:"currency" pattern:"^[A-Z]{3}$" example:"EUR"`
}

// LookupRequest names a wallet by its code.
type LookupRequest struct {
	Code string `json:"code" minLength:"1" maxLength:"64" example:"7Q2M-4KXR-9D0T-HC3V-B8NE" doc:"As people write it: capital or small letters, with hyphens or without."`
}

// CreditRequest adds credit to a wallet.
type CreditRequest struct {
	Amount int64 `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	Description
	ExpiresAt *time.Time `json:"expires_at,omitempty" doc:"When the credit ends unless it is spent or held; without it, never." example:"2028-12-31T23:00:00Z"`
}

// DebitRequest spends credit of a wallet, or holds it.
type DebitRequest struct {
	Amount int64 `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	Description
}

// CaptureRequest spends a hold.
type CaptureRequest struct {
	Amount *int64 `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Without it, all of the hold. With less than that, the rest can be spent again." example:"1000"`
	Description
}

// TransferRequest moves credit from one wallet to another.
type TransferRequest struct {
	From   uuid.UUID `json:"from" format:"uuid" doc:"A wallet."`
	To     uuid.UUID `json:"to" format:"uuid" doc:"Another wallet of the same currency."`
	Amount int64     `json:"amount" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the wallet's currency." example:"1000"`
	Description
}

// Description is what a client says of a ledger transaction; all may be empty.
type Description struct {
	Reason    string `json:"reason,omitempty" maxLength:"200" example:"Goodwill"`
	Reference string `json:"reference,omitempty" maxLength:"200" example:"ticket 4711"`
	// IfMatch says at which entity tags the wallet may be changed, as etag.MatchTag reads it. Of a transfer it is about
	// the wallet that gives.
	IfMatch string `json:"-"`
}

// check returns problem.ValidationFailed for a request, of which d is a part, that breaks a bound, and for a text with
// control characters.
func (d Description) check(request any) error {
	if err := bounds.Check("", request); err != nil {
		return err
	}
	const detail = "Expected no control characters, such as line breaks or changes of the writing direction."
	switch {
	case problem.HasControl(d.Reason):
		return problem.Invalid("reason", "control_character", detail)
	case problem.HasControl(d.Reference):
		return problem.Invalid("reference", "control_character", detail)
	}
	return nil
}

// checkVersion returns problem.VersionMismatch unless the wallet, as it is shown at a time, is at an entity tag that
// IfMatch names.
func (d Description) checkVersion(w *Wallet, now time.Time) error {
	if etag.MatchTag(d.IfMatch, w.Current(now).ETag()) {
		return nil
	}
	return problem.New(problem.VersionMismatch, "The wallet has changed since the version that If-Match names.")
}

// entry returns an entry with the description.
func (d Description) entry() Entry { return Entry{Reason: d.Reason, Reference: d.Reference} }

package tenant

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/Rhymond/go-money"
	"github.com/google/uuid"
	"golang.org/x/text/currency"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/timezone"
)

// Tenant is a customer of Holdfast.
type Tenant struct {
	ID   uuid.UUID
	Slug string
	Name string
	// Location is the IANA time zone in which the tenant's civil dates lie.
	Location *time.Location
	// Currency is the ISO 4217 code that the tenant's prices are in.
	Currency string
	// CreatedAt is UTC.
	CreatedAt time.Time
	// KeyID and Scopes are of the API key that the tenant was authenticated by; zero for a tenant that wasn't.
	KeyID  uuid.UUID
	Scopes Scopes
	// UserID is the person who is signed in, the nil uuid for all other requests. Scopes are then those of the person's
	// role.
	UserID uuid.UUID
	// Operator is the name that the operator gave who acts for the tenant; empty with an API key.
	Operator string

	status  Status
	origins []Origin // of its website
}

// AsActor returns a context in which the history names the tenant's API key, the person who is signed in, or the
// operator who acts for the tenant, and a request as the origin of changes.
func (t Tenant) AsActor(ctx context.Context, requestID string) context.Context {
	return db.WithActor(ctx, db.Actor{APIKeyID: t.KeyID, UserID: t.UserID, RequestID: requestID, Operator: t.Operator})
}

// CheckCurrency returns problem.ValidationFailed about the named field for a currency that doesn't exist.
func CheckCurrency(field, code string) error {
	// Amounts are minor units, so a currency's decimals have to be known too.
	if _, err := currency.ParseISO(code); err != nil || money.GetCurrency(code) == nil ||
		code != strings.ToUpper(code) {
		return problem.Invalid(field, "unknown_currency",
			"Expected the code of an ISO 4217 currency in use, such as EUR.")
	}
	return nil
}

// LoadLocation returns the IANA time zone of that name, or problem.ValidationFailed about the named field.
func LoadLocation(field, name string) (*time.Location, error) {
	loc, err := timezone.Load(name)
	if errors.Is(err, timezone.ErrUnknown) {
		return nil, problem.Invalid(field, "unknown_time_zone",
			"Expected the name of an IANA time zone, such as Europe/Berlin.")
	}
	return loc, err
}

func fromRow(id uuid.UUID, row verifiedRow) (Tenant, error) {
	loc, err := timezone.Load(row.TimeZone)
	if err != nil {
		return Tenant{}, err
	}
	origins, err := originsOf(row.Origins)
	if err != nil {
		return Tenant{}, err
	}
	return Tenant{
		ID:        id,
		Slug:      row.Slug,
		Name:      row.Name,
		Location:  loc,
		Currency:  row.Currency,
		CreatedAt: row.CreatedAt,
		KeyID:     row.ApiKeyID,
		Scopes:    scopesOf(row.Scopes),
		status:    Status(row.Status),
		origins:   origins,
	}, nil
}

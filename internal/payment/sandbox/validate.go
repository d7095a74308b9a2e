package sandbox

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/currency"
)

// checkOrder returns an *apiError for an order that isn't valid. A refund has no description.
func checkOrder(ref reference, amount int64, code, description string) error {
	switch _, err := currency.ParseISO(code); {
	case ref.TenantID == uuid.Nil || ref.ID == uuid.Nil:
		return invalid("reference needs a tenant_id and an id")
	case amount <= 0:
		return invalid("amount must be positive, in minor units of the currency")
	case err != nil || strings.ToUpper(code) != code:
		return invalid("currency must be an ISO 4217 code in capitals")
	case utf8.RuneCountInString(description) > maxDescription:
		return invalid(fmt.Sprintf("description has more than %d characters", maxDescription))
	}
	return nil
}

// check returns an *apiError for a checkout that isn't valid.
func (c *checkout) check() error {
	switch {
	case !isPage(c.ReturnURL), c.CancelURL != "" && !isPage(c.CancelURL):
		return invalid(fmt.Sprintf("return_url and cancel_url must be absolute http or https URLs of at most %d bytes",
			maxReturnURL))
	case c.ExpiresAt.IsZero():
		return invalid("expires_at must be a time")
	}
	return nil
}

// isPage reports whether an address is one to which a customer can be sent.
func isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") && len(address) <= maxReturnURL
}

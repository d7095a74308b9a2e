package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/currency"
)

func (r reference) check() error {
	if r.TenantID == uuid.Nil || r.ID == uuid.Nil {
		return errors.New("reference needs a tenant_id and an id")
	}
	return nil
}

func checkMoney(amount int64, code string) error {
	if amount <= 0 {
		return errors.New("amount must be positive, in minor units of the currency")
	}
	if _, err := currency.ParseISO(code); err != nil || strings.ToUpper(code) != code {
		return errors.New("currency must be an ISO 4217 code in capitals")
	}
	return nil
}

func checkDescription(text string) error {
	if utf8.RuneCountInString(text) > maxDescription {
		return fmt.Errorf("description has more than %d characters", maxDescription)
	}
	return nil
}

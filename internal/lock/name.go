package lock

import (
	"encoding/hex"
	"strings"
	"time"
)

// Name is a name of a key, with its parts. Several names may hash to one key.
type Name struct {
	// Key is the name with its id. Of a fixed number it is the label that docs/locks-registry.md gives it.
	Key
	// Pattern is the name's row in docs/locks-registry.md, such as {tenant}:{date}.
	Pattern string
	// Tenant is the tenant that the lock belongs to; zero for a lock of the whole database.
	Tenant [16]byte
	// Session says that a session takes the lock and not a transaction.
	Session bool
}

// The names' rows in docs/locks-registry.md.
const (
	patternBalance = "{tenant}:balance:{booking}"
	patternDate    = "{tenant}:{date}"
	patternWallet  = "{tenant}:wallet:{wallet}"
)

// labels are the fixed numbers as docs/locks-registry.md names them.
var labels = map[Global]string{
	Goose:              "goose",
	IdempotencyCleanup: "idempotency cleanup",
}

// ParseName returns the name that a text spells. ok reports whether one of this package's constructors spells it so, or
// whether it is the label of a fixed number.
func ParseName(text string) (m Name, ok bool) {
	for g, label := range labels {
		if text == label {
			return g.named(), true
		}
	}
	owner, rest, _ := strings.Cut(text, ":")
	tenant, err := parseUUID(owner)
	if err != nil {
		return m, false
	}
	if kind, thing, found := strings.Cut(rest, ":"); found {
		id, err := parseUUID(thing)
		if err != nil {
			return m, false
		}
		switch kind {
		case "balance":
			m = Name{Key: Balance(tenant, id).keys[0], Pattern: patternBalance, Tenant: tenant}
		case "wallet":
			keys, err := Wallets(tenant, id)
			if err != nil {
				return m, false
			}
			m = Name{Key: keys.keys[0], Pattern: patternWallet, Tenant: tenant}
		}
	} else {
		day, err := time.Parse(time.DateOnly, rest)
		if err != nil {
			return m, false
		}
		if m, err = dateName(tenant, dateOf(day)); err != nil {
			return m, false
		}
	}
	return m, m.name == text // upper case or other hyphens would be another key
}

func (g Global) named() Name {
	return Name{Key: Key{name: labels[g], id: g.ID()}, Pattern: labels[g], Session: true}
}

func dateName(tenant [16]byte, d Date) (Name, error) {
	keys, err := Dates(tenant, d)
	if err != nil {
		return Name{}, err
	}
	return Name{Key: keys.keys[0], Pattern: patternDate, Tenant: tenant}, nil
}

func dateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

func parseUUID(text string) (id [16]byte, err error) {
	raw, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil {
		return id, err
	}
	if len(raw) != len(id) {
		return id, hex.ErrLength
	}
	copy(id[:], raw)
	return id, nil
}

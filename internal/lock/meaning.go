package lock

import (
	"encoding/hex"
	"strings"
	"time"
)

// Meaning is what a key stands for: one of the names that hash to it, taken apart.
type Meaning struct {
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
	patternBalance  = "{tenant}:balance:{booking}"
	patternCalendar = "{tenant}:{date}"
	patternWallet   = "{tenant}:wallet:{wallet}"
)

// labels are the fixed numbers as docs/locks-registry.md names them.
var labels = map[Global]string{
	Goose:              "goose",
	IdempotencyCleanup: "idempotency cleanup",
}

// Text is what somebody says is the name of a lock.
type Text string

// Meaning returns what the name stands for; ok tells whether it is spelt as one of this package's constructors
// spells it, or is the label of a fixed number.
func (t Text) Meaning() (m Meaning, ok bool) {
	for g, label := range labels {
		if string(t) == label {
			return g.meaning(), true
		}
	}
	owner, rest, _ := strings.Cut(string(t), ":")
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
			m = Meaning{Key: Balance(tenant, id).keys[0], Pattern: patternBalance, Tenant: tenant}
		case "wallet":
			keys, err := Wallets(tenant, id)
			if err != nil {
				return m, false
			}
			m = Meaning{Key: keys.keys[0], Pattern: patternWallet, Tenant: tenant}
		}
	} else {
		day, err := time.Parse(time.DateOnly, rest)
		if err != nil {
			return m, false
		}
		if m, err = calendarMeaning(tenant, dateOf(day)); err != nil {
			return m, false
		}
	}
	return m, m.name == string(t) // upper case or other hyphens would be another key
}

func (g Global) meaning() Meaning {
	return Meaning{Key: Key{name: labels[g], id: g.ID()}, Pattern: labels[g], Session: true}
}

func calendarMeaning(tenant [16]byte, d Date) (Meaning, error) {
	keys, err := Calendar(tenant, d)
	if err != nil {
		return Meaning{}, err
	}
	return Meaning{Key: keys.keys[0], Pattern: patternCalendar, Tenant: tenant}, nil
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

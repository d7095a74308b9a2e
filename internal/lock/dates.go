package lock

import (
	"fmt"
	"slices"
	"time"
)

// Date is a civil date in the tenant's time zone. Its fields are those of civil.Date, so that one
// converts to the other.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateKeys are the locks on some of one tenant's civil dates. The zero value locks nothing and is
// refused by package db.
type DateKeys struct {
	Set

	dates []Date
}

// Dates names the locks `{tenant}:{date}` for the given dates of one tenant. A transaction that changes
// what is free on a date holds that date's lock.
//
// It returns ErrNoKeys without dates, ErrTooManyKeys above MaxKeys different ones, and ErrNoSuchDate for a date
// that is in no calendar or beyond the year 9999, which the name has no room for.
func Dates(tenant [16]byte, dates ...Date) (DateKeys, error) {
	prefix := uuidText(tenant)
	keys := make([]Key, 0, len(dates))
	for _, d := range dates {
		if !d.exists() {
			return DateKeys{}, ErrNoSuchDate
		}
		keys = append(keys, keyOf(fmt.Sprintf("%s:%04d-%02d-%02d", prefix, d.Year, d.Month, d.Day)))
	}
	set, err := newSet(tenant, "date", keys)
	if err != nil {
		return DateKeys{}, err
	}
	return DateKeys{Set: set, dates: slices.Clone(dates)}, nil
}

func (d Date) exists() bool {
	y, m, day := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Date()
	return d == Date{y, m, day} && d.Year >= 1 && d.Year <= 9999
}

// Covers reports whether the lock of d is among the keys.
func (c DateKeys) Covers(d Date) bool { return slices.Contains(c.dates, d) }

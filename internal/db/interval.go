package db

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Interval writes a duration down as generated code takes it.
func Interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

package timetable

import (
	"time"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/lock"
)

// Bounds of what a tenant may define. With them a date or a slot touches at most 24 dates, and a stay maxStayDates: no
// more than the locks that a transaction may take.
const (
	// MaxCapacity bounds the units of a resource.
	MaxCapacity         = claim.MaxUnits
	maxDurationDays     = 7
	maxDurationMinutes  = maxDurationDays * datetime.MinutesPerDay
	maxBufferDays       = 7
	maxBufferMinutes    = datetime.MinutesPerDay
	maxLeadMinutes      = 366 * datetime.MinutesPerDay
	MaxWindowDays       = 3650
	maxServiceResources = 100
	maxStayDates        = lock.MaxKeys
	// defaultMaxNights is the most nights of a stay whose service doesn't say.
	defaultMaxNights = 28
)

// MaxAmount bounds every amount, in minor units: JSON numbers are exact up to it.
const MaxAmount = 1<<53 - 1

// defaultBookingWindowDays is how many days after today can be booked if a service doesn't say.
const defaultBookingWindowDays = 365

// LongestDayMinutes is the longest a civil date can be: 24 hours, and the 26 between the offsets +14:00 and -12:00, for
// a move over the date line.
const LongestDayMinutes = 50 * 60

// LongestBusy is the longest time that any booking can occupy a resource, its buffers included.
const LongestBusy = (maxStayDates*datetime.MinutesPerDay + 3*LongestDayMinutes) * time.Minute

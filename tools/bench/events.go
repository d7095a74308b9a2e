package main

import "time"

// eventConfig says what is measured of events.
type eventConfig struct {
	pending  []int         // events that are pending in each database that is claimed from
	open     time.Duration // how long a transaction is held open beside the claims
	rounds   int
	duration time.Duration // of each measurement of bookings and of claims
}

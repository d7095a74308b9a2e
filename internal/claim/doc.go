// Package claim has the values that say what is taken of a resource, and when. What a booking, a session or a block
// takes is a claim: the database lets no two claims have the same unit at the same time.
//
//	query.go  what is read of what is taken
//	claim.go  a claim, and a session that several bookings share
//	busy.go   time that is taken, as availability counts it
//	units.go  units of a resource, and the numbers beyond them that blocks take
package claim

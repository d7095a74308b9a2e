package claim

// Busy is a time [From, Until), in Unix time in seconds, during which a booking occupies some units of a resource, its
// buffers included. Lapsed holds occupy nothing.
type Busy struct {
	From, Until int64
	Units       UnitRange
}

// LetsLeave is that of Claim.
func (b Busy) LetsLeave() bool { return b.Units == LeavingUnits() }

// OfBlock reports whether a block takes the time.
func (b Busy) OfBlock() bool { return b.Units.ofBlock() }

package booking

import "holdfast/internal/etag"

// ETag returns the strong entity tag of the booking's version.
func (b Booking) ETag() string { return etag.Of(b.Version) }

package catalog

// Kind is how a service is sold.
type Kind string

// The kinds of services.
const (
	// KindDate sells whole civil dates.
	KindDate Kind = "date"
	// KindSlot sells a duration inside the opening hours.
	KindSlot Kind = "slot"
)

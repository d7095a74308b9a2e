package booking

import (
	"slices"
	"time"

	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// Status is where a booking is in its life: held → confirmed → completed; from held also expired, from held or
// confirmed cancelled, from confirmed no_show. From expired, a booking whose time is still free can be confirmed if the
// request asks for that: see AmendRequest.IfStillFree.
type Status string

// The statuses.
const (
	Held      Status = "held"
	Confirmed Status = "confirmed"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
	NoShow    Status = "no_show"
)

// Values returns every status there is.
func (Status) Values() []string {
	return []string{string(Held), string(Confirmed), string(Completed), string(Cancelled), string(Expired),
		string(NoShow)}
}

// State is what decides about a booking's changes and its money.
type State struct {
	Status Status
	// HoldExpiresAt is when a hold ends by itself; it stays set when the hold was confirmed. It is nil for a booking
	// that was never held. UTC.
	HoldExpiresAt *time.Time
	// Fee is what a booking that ended by a cancellation fee owes in all, in minor units: its cancellation policy had
	// one, or the request that ended the booking did. It is nil for every other booking.
	Fee *int64
}

// withFee returns the state of a booking with a cancellation fee, which counts once the booking has ended. hasFee says
// that it has one.
func (s State) withFee(hasFee bool, fee int64) State {
	if hasFee && (s.Status == Cancelled || s.Status == NoShow) {
		s.Fee = &fee
	}
	return s
}

// Lapsed reports whether the booking is a hold past its expiry at now. Its time counts as free, although nobody may
// have marked it as expired yet.
func (s State) Lapsed(now time.Time) bool {
	return s.Status == Held && (s.HoldExpiresAt == nil || !now.Before(*s.HoldExpiresAt))
}

// hasExpired reports whether the booking is a hold that has ended by itself at now, marked as expired or not.
func (s State) hasExpired(now time.Time) bool { return s.Status == Expired || s.Lapsed(now) }

// Occupies reports whether the booking takes its time at now, so that nobody else can book it.
func (s State) Occupies(now time.Time) bool {
	return s.Status != Cancelled && s.Status != Expired && !s.Lapsed(now)
}

// CheckPayable returns nil if the booking takes money at now. Errors: problem.HoldExpired for a hold that is over;
// problem.InvalidState for a cancelled booking that owes no cancellation fee.
func (s State) CheckPayable(now time.Time) error {
	switch {
	case s.hasExpired(now):
		return holdExpired()
	case s.Status == Cancelled && (s.Fee == nil || *s.Fee == 0):
		return problem.New(problem.InvalidState, "The booking is cancelled.")
	}
	return nil
}

// checkOpen returns nil for a booking that can be changed: one that is held and not over, or confirmed. Errors:
// problem.HoldExpired, problem.InvalidState.
func (s State) checkOpen(now time.Time) error {
	switch {
	case s.Status == Expired, s.Lapsed(now):
		return holdExpired()
	case s.Status != Held && s.Status != Confirmed:
		return problem.New(problem.InvalidState, "The booking is "+string(s.Status)+", which does not allow this.")
	}
	return nil
}

func holdExpired() error { return problem.New(problem.HoldExpired, "The hold has expired.") }

// Transition is what a request does to the state of a booking.
type Transition string

// The transitions.
const (
	Confirm    Transition = "confirm"
	Cancel     Transition = "cancel"
	Release    Transition = "release" // Cancel for a hold, and nothing else
	Complete   Transition = "complete"
	MarkNoShow Transition = "no-show"
)

// transitionRule is what a transition does to a booking's status.
type transitionRule struct {
	from  []Status
	to    Status
	begun bool // only for a booking that has begun
}

// transitions holds every transition that a request can ask for. A hold also expires: see State.Lapsed. A hold that has
// expired is also confirmed if its time is still free: see AmendRequest. Nothing writes to it.
var transitions = map[Transition]transitionRule{
	Confirm:    {from: []Status{Held}, to: Confirmed},
	Cancel:     {from: []Status{Held, Confirmed}, to: Cancelled},
	Release:    {from: []Status{Held}, to: Cancelled},
	Complete:   {from: []Status{Confirmed}, to: Completed, begun: true},
	MarkNoShow: {from: []Status{Confirmed}, to: NoShow, begun: true},
}

// bookingChanged is why a change of a booking ended an event. It is shown to the tenant.
const bookingChanged = "The booking has changed."

// endedKinds lists the kinds of events that end in the commit in which a booking leaves a status.
func (s Status) endedKinds() []string {
	switch s {
	case Held:
		return []string{event.KindHoldExpiry}
	case Expired:
		return []string{event.KindHoldExpiry, event.KindEndedBooking}
	default:
		return nil
	}
}

// statusAfter returns the status of a booking that starts at a time, after a transition at now. Errors:
// problem.HoldExpired for a hold past its expiry; problem.InvalidState for a transition that the status, or the time,
// doesn't allow.
func (c Transition) statusAfter(s State, startsAt, now time.Time) (Status, error) {
	next := transitions[c]
	switch {
	case s.hasExpired(now):
		return "", holdExpired()
	case !slices.Contains(next.from, s.Status):
		return "", problem.New(problem.InvalidState, "The booking is "+string(s.Status)+", which does not allow this.")
	case next.begun && now.Before(startsAt):
		return "", problem.New(problem.InvalidState, "The booking has not begun.")
	}
	return next.to, nil
}

// StatusTimes are when a booking got its statuses, by the database's clock. A time is nil if the booking never got
// the status, or got it from a server of 0.1.0, which didn't record it. ConfirmedAt is also nil for a booking that
// was never held: it was confirmed when it was made.
type StatusTimes struct {
	ConfirmedAt *time.Time `json:"confirmed_at,omitempty" doc:"When it was confirmed; of a booking that was never a hold, when it was made. Like the other times of statuses it is absent if that hasn't happened, or happened before the server recorded it."`
	CancelledAt *time.Time `json:"cancelled_at,omitempty"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	NoShowAt    *time.Time `json:"no_show_at,omitempty"`
	ExpiredAt   *time.Time `json:"expired_at,omitempty" doc:"When the hold was marked as expired. It stays if the booking was confirmed afterwards."`
}

// reached notes that the booking got a status at now.
func (s *StatusTimes) reached(status Status, now time.Time) {
	switch status {
	case Confirmed:
		s.ConfirmedAt = &now
	case Cancelled:
		s.CancelledAt = &now
	case Completed:
		s.CompletedAt = &now
	case NoShow:
		s.NoShowAt = &now
	case Expired:
		s.ExpiredAt = &now
	case Held:
	}
}

// inZone returns the times with the offsets of loc.
func (s StatusTimes) inZone(loc *time.Location) StatusTimes {
	for _, at := range []**time.Time{&s.ConfirmedAt, &s.CancelledAt, &s.CompletedAt, &s.NoShowAt, &s.ExpiredAt} {
		if *at != nil {
			local := (*at).In(loc)
			*at = &local
		}
	}
	return s
}

package event

import "context"

// Flow is how an event is handled: its subject is loaded as it is now, checks decide whether the event still makes
// sense, and then it acts. The worker records the result and notifies the observers. S is the subject with what is
// needed of it.
type Flow[S any] struct {
	Load   func(context.Context, Event) (S, error)
	Checks []Check[S]
	Act    func(context.Context, Event, S) (Result, error)
}

// Check returns why an event no longer makes sense, or nothing if it does. The reason is shown to the tenant.
type Check[S any] func(Event, S) (reason string)

// Handle makes one attempt. The first check that has a reason ends the event.
func (f Flow[S]) Handle(ctx context.Context, e Event) (Result, error) {
	subject, err := f.Load(ctx, e)
	if err != nil {
		return Result{}, err
	}
	for _, check := range f.Checks {
		if reason := check(e, subject); reason != "" {
			return CancelBecause(reason), nil
		}
	}
	return f.Act(ctx, e, subject)
}

package app

import (
	"context"
	"sync"
	"time"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// Kinds are the kinds of events that the app's worker works on.
func (a *App) Kinds() []event.Kind {
	kinds := append(a.Messages.Kinds(), a.Bookings.HoldExpiry(), a.Payments.Resolution(), a.Payments.EndedBooking(),
		a.Wallets.CreditExpiry(), a.Webhooks.DeliveryKind())
	if a.cfg.Sender != nil {
		kinds = append(kinds, a.Messages.Emails(a.cfg.Sender, a.cfg.Senders, a.cfg.PublicURL)...)
		kinds = append(kinds, a.Users.Email())
	}
	return kinds
}

// Work runs the worker of events and the cleanup of idempotency keys until ctx ends or stop is called, which waits for
// their end.
func (a *App) Work(ctx context.Context) (stop func(), err error) {
	kinds := a.Kinds()
	if err := event.CheckKinds(kinds...); err != nil {
		return nil, err
	}
	st := a.cell.DB
	jobs := append(
		event.Retention(st, a.cfg.ChangeRetention, a.cfg.EventRetention),
		event.Relay(st),
		event.Job{Name: "record the use of API keys", Every: time.Minute, Run: a.Tenants.RecordUses},
		event.Job{Name: "delete tenants", Every: 10 * time.Second, Run: a.Tenants.Deletion()},
		event.Job{Name: "wake the streams of events", Every: time.Minute, Woken: db.WakeFeed, Run: a.Changes.Wake},
	)
	worker := event.NewWorker(st, event.Config{
		Metrics: a.cell.Registerer, Logger: a.cell.Log, Tracer: a.cfg.Tracer, Jobs: jobs,
	}, kinds...)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.cleanup.Run(ctx) })
	running.Go(func() { worker.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}, nil
}

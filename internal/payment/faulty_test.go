package payment_test

import (
	"context"
	"runtime"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
)

// faulty is a provider whose calls go through functions of the test, where there are any.
type faulty struct {
	payment.Provider
	charge func(context.Context, payment.ChargeOrder) (payment.Outcome, error)
	refund func(context.Context, payment.RefundOrder) (payment.Outcome, error)
	find   func(context.Context, payment.Reference, string) (payment.Outcome, error)
	cancel func(context.Context, payment.Reference, string) (payment.Outcome, error)
}

func (f *faulty) Charge(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	if f.charge != nil {
		return f.charge(ctx, o)
	}
	return f.Provider.Charge(ctx, o)
}

func (f *faulty) Refund(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
	if f.refund != nil {
		return f.refund(ctx, o)
	}
	return f.Provider.Refund(ctx, o)
}

func (f *faulty) FindCharge(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
	if f.find != nil {
		return f.find(ctx, ref, id)
	}
	return f.Provider.FindCharge(ctx, ref, id)
}

func (f *faulty) CancelCharge(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
	if f.cancel != nil {
		return f.cancel(ctx, ref, id)
	}
	return f.Provider.CancelCharge(ctx, ref, id)
}

// through sends a process's calls through f.
func through(f *faulty) func(*payment.Config) {
	return func(cfg *payment.Config) {
		f.Provider = cfg.Provider
		cfg.Provider = f
	}
}

// dies runs a request in a goroutine that one of its calls ends, as the process's death would: nothing after that call
// is done.
func dies(request func() (idempotency.Response, error)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = request()
	}()
	<-done
}

// die is what such a call does.
func die() { runtime.Goexit() }

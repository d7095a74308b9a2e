package payment_test

import (
	"context"
	"runtime"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
)

// interceptedProvider is a provider whose calls a test can replace.
type interceptedProvider struct {
	payment.Provider
	charge func(context.Context, payment.ChargeOrder) (payment.Outcome, error)
	refund func(context.Context, payment.RefundOrder) (payment.Outcome, error)
	find   func(context.Context, payment.Reference, string) (payment.Outcome, error)
	cancel func(context.Context, payment.Reference, string) (payment.Outcome, error)

	findAccount func(context.Context, string) (payment.Account, error)
}

func (f *interceptedProvider) Account(id string) payment.Provider {
	in := *f
	in.Provider = f.Provider.Account(id)
	return &in
}

func (f *interceptedProvider) FindAccount(ctx context.Context, id string) (payment.Account, error) {
	if f.findAccount != nil {
		return f.findAccount(ctx, id)
	}
	return f.Provider.FindAccount(ctx, id)
}

func (f *interceptedProvider) Charge(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	if f.charge != nil {
		return f.charge(ctx, o)
	}
	return f.Provider.Charge(ctx, o)
}

func (f *interceptedProvider) Refund(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
	if f.refund != nil {
		return f.refund(ctx, o)
	}
	return f.Provider.Refund(ctx, o)
}

func (f *interceptedProvider) FindCharge(ctx context.Context, ref payment.Reference, id string,
) (payment.Outcome, error) {
	if f.find != nil {
		return f.find(ctx, ref, id)
	}
	return f.Provider.FindCharge(ctx, ref, id)
}

func (f *interceptedProvider) CancelCharge(ctx context.Context, ref payment.Reference, id string,
) (payment.Outcome, error) {
	if f.cancel != nil {
		return f.cancel(ctx, ref, id)
	}
	return f.Provider.CancelCharge(ctx, ref, id)
}

// withInterceptor makes a process call f instead of the provider.
func withInterceptor(f *interceptedProvider) func(*payment.Config) {
	return func(cfg *payment.Config) {
		f.Provider = cfg.Provider
		cfg.Provider = f
	}
}

// runUntilCrash runs a request in a goroutine until one of its calls uses crash. Nothing after that call runs, as if
// the process had died.
func runUntilCrash(request func() (idempotency.Outcome, error)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = request()
	}()
	<-done
}

// crash ends the goroutine of runUntilCrash.
func crash() { runtime.Goexit() }

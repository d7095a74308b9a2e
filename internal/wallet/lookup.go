package wallet

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"holdfast/internal/bounds"
	"holdfast/internal/expiring"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

const (
	// wrongCodes is how many wrong codes a tenant's clients may try at once; wrongCodesEvery is after which time one
	// more.
	wrongCodes      = 20
	wrongCodesEvery = 6 * time.Second
	limitedTenants  = 10_000 // whose wrong codes are counted
)

// guesses limits wrong codes, for each tenant of this process.
type guesses struct {
	limiters *otter.Cache[uuid.UUID, *rate.Limiter]
}

func newGuesses() *guesses {
	return &guesses{limiters: expiring.New(limitedTenants,
		otter.ExpiryAccessing[uuid.UUID, *rate.Limiter](wrongCodes*wrongCodesEvery))}
}

// Lookup returns the wallet of a code. A code with a mistake, one that isn't a code, and one of another tenant have the
// same answer.
//
// Errors: problem.ValidationFailed; problem.NotFound; problem.RateLimited after too many wrong codes;
// problem.DatabaseUnavailable.
func (s *Service) Lookup(ctx context.Context, t tenant.Tenant, req LookupRequest) (Wallet, error) {
	if err := bounds.Check("", req); err != nil {
		return Wallet{}, err
	}
	limiter, found := s.guesses.limiters.GetIfPresent(t.ID)
	if !found {
		limiter, _ = s.guesses.limiters.SetIfAbsent(t.ID, rate.NewLimiter(rate.Every(wrongCodesEvery), wrongCodes))
	}
	if limiter.Tokens() < 1 {
		return Wallet{}, problem.New(problem.RateLimited, "Too many wrong codes were tried.").Retry(wrongCodesEvery)
	}
	w, now, err := s.ofCode(ctx, t.ID, req.Code)
	if problem.Is(err, problem.NotFound) {
		limiter.Reserve() // also if others have used up the last one meanwhile: the next has to wait longer
	}
	return w.Current(now), err
}

// ofCode returns the wallet of a code, and the time by the database's clock.
func (s *Service) ofCode(ctx context.Context, tenant uuid.UUID, text string) (w Wallet, now time.Time, err error) {
	c, ok := parseCode(text)
	if !ok {
		return w, now, problem.Missing()
	}
	row, now, err := s.rowOfCode(ctx, tenant, c.prefix())
	if err != nil {
		return w, now, err
	}
	if !c.matches(row.CodeHash) {
		return w, now, problem.Missing()
	}
	w, err = fromRow(row)
	return w, now, err
}

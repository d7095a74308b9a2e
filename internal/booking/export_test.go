package booking

// WithCodes has bookings get the codes that next returns.
func WithCodes(next func() string) Option { return func(s *Service) { s.newCode = next } }

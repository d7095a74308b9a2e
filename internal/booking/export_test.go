package booking

// SetCodes has bookings get the codes that next returns.
func (s *Service) SetCodes(next func() string) { s.newCode = next }

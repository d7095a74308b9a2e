package message

import (
	"holdfast/internal/email"
	"holdfast/internal/problem"
)

// Subscription returns what a link to unsubscribe ends. Errors: problem.NotFound for a token that wasn't made here.
func (s *Service) Subscription(token string) (email.Subscription, error) {
	sub, err := s.unsubscribing.Parse(token)
	if err != nil {
		return email.Subscription{}, problem.Missing()
	}
	return sub, nil
}

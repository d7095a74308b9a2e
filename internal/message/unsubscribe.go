package message

import (
	"context"

	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// CheckUnsubscribeToken returns problem.NotFound for a token that wasn't made here.
func (s *Service) CheckUnsubscribeToken(token string) error {
	if _, err := s.unsubscribing.Parse(token); err != nil {
		return problem.Missing()
	}
	return nil
}

// Unsubscribe ends greetings and follow-ups to the customer that a token names. In the same commit, what is planned for the customer
// ends. Doing it again changes nothing. Errors: problem.NotFound for a token that wasn't made here; those of store.Store.Write.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	sub, err := s.unsubscribing.Parse(token)
	if err != nil {
		return problem.Missing()
	}
	read := store.WriteRead{Scope: sub.TenantID, Customer: &store.CustomerRead{ID: sub.CustomerID}}
	return s.store.Write(ctx, sub.TenantID, read, func(tx *store.WriteTx, st store.WriteState) error {
		if st.Customer == nil {
			return nil
		}
		id := st.Customer.CustomerID
		if st.Customer.MergedInto != nil {
			id = *st.Customer.MergedInto // the link may be older than the merge
		}
		tx.Unsubscribe(id)
		tx.EndEvents(id, event.KindBirthday, event.KindEmail)
		return nil
	})
}

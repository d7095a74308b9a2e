package store

// AnsweredError says that the key of a request has a response: nothing was decided, and nothing was written. Where commits wait for a
// standby, the standby has the response.
type AnsweredError struct{ Response *StoredResponse }

func (e *AnsweredError) Error() string { return "store: the idempotency key has a response" }

// answer is the response that the last run of a transaction found under its key, nil if there was none.
type answer struct{ stored *StoredResponse }

// unlessAnswered returns what a transaction runs in the place of decide: nothing, if its key has a response. That commits nothing, as a
// decision that queues nothing does.
func unlessAnswered[Tx, State any](decide func(Tx, State) error, stored func(State) *StoredResponse) (*answer, func(Tx, State) error) {
	a := new(answer)
	return a, func(tx Tx, st State) error {
		if a.stored = stored(st); a.stored != nil {
			return nil
		}
		return decide(tx, st)
	}
}

// or returns AnsweredError if the transaction succeeded and its key had a response, else the transaction's error.
func (a *answer) or(err error) error {
	if err == nil && a.stored != nil {
		return &AnsweredError{a.stored}
	}
	return err
}

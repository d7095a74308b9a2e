package check

import (
	"bytes"
	"crypto/sha256"

	"holdfast/tools/torture/history"
)

// keys checks that a key's requests did one thing and got one answer, that what was answered is stored, and that what
// was refused isn't.
func (c *checker) keys() {
	made := map[string]*request{}
	for _, r := range c.requests {
		if r.amendment != nil { // it has no key
			continue
		}
		winner, ok := r.winner()
		if !ok {
			c.oneCarriedOut(r)
			continue
		}
		c.oneAnswer(r, winner)
		c.storedAnswer(r)
		if r.is("create") && r.happened() {
			if other := made[r.body.ID]; other != nil {
				c.violate(RuleKey, append(other.ids(), r.ids()...), "the keys %q and %q have the booking %s in common",
					other.key, r.key,
					r.body.ID)
			}
			made[r.body.ID] = r
		}
	}
	for _, pair := range c.clock.contradictions() {
		c.violate(RuleClock, append(pair[0].ids(), pair[1].ids()...),
			"the key %q was answered before %q was sent, but the database's time of the first, %s, is later than the second's, %s",
			pair[0].key, pair[1].key, pair[0].stored.CreatedAt, pair[1].stored.CreatedAt)
	}
	for id, k := range c.stored {
		if c.byKey[id] != nil {
			continue
		}
		if b, ok := c.booking[read[answer](k.Body).ID]; ok && b.Tenant == id.tenant {
			c.violate(RuleUnasked, nil, "the booking %s was made or changed under the key %q, which no client used",
				b.ID, id.key)
		}
	}
}

// winner returns the first try of the request that the key belongs to, when tries of one key asked for different
// things; false when that isn't known.
func (r *request) winner() (history.Operation, bool) {
	for _, op := range r.tries {
		if !sameRequest(op, r.tries[0]) {
			for _, op := range r.tries {
				h := sha256.New()
				for _, part := range [][]byte{[]byte(op.Method), []byte(op.Path), sorted(op.Request)} {
					_, _ = h.Write(part)
					_, _ = h.Write([]byte{0})
				}
				if r.stored != nil && bytes.Equal(h.Sum(nil), r.stored.Fingerprint) {
					return op, true
				}
			}
			return op, false
		}
	}
	return r.tries[0], true
}

// oneCarriedOut checks requests of one key of which it isn't known whose the key is: only one of them can have been
// carried out.
func (c *checker) oneCarriedOut(r *request) {
	var done *history.Operation
	for i := range r.tries {
		switch op := &r.tries[i]; {
		case op.Status/100 != 2:
		case done == nil:
			done = op
		case !sameRequest(*op, *done):
			c.violate(RuleKey, []int64{done.ID, op.ID}, "two requests under the key %q were carried out", r.key)
		}
	}
}

// oneAnswer checks that all final answers are the same, and that none is given back to be something else later.
func (c *checker) oneAnswer(r *request, winner history.Operation) {
	var first *history.Operation
	carriedOut := 0
	for i := range r.tries {
		op := &r.tries[i]
		if !sameRequest(*op, winner) {
			if op.Status/100 == 2 {
				c.violate(RuleKey, r.ids(), "a request under the key %q of another one was answered %d", r.key,
					op.Status)
			}
			continue
		}
		if !final(*op) {
			continue
		}
		if !op.Replayed {
			carriedOut++
		}
		if first == nil || op.Returned < first.Returned {
			first = op
		}
	}
	if first == nil {
		return
	}
	if carriedOut > 1 && !r.moves() {
		c.violate(RuleKey, r.ids(), "the key %q was carried out %d times", r.key, carriedOut)
	}
	for i := range r.tries {
		op := &r.tries[i]
		if !sameRequest(*op, winner) {
			continue
		}
		switch {
		case final(*op) && (op.Status != first.Status ||
			!bytes.Equal(canonical(op.Response), canonical(first.Response))):
			c.violate(RuleKey, []int64{first.ID, op.ID}, "the key %q was answered %d %s and then %d %s", r.key,
				first.Status, first.Response, op.Status, op.Response)
		case !final(*op) && !passing(*op) && op.Invoked > first.Returned:
			c.violate(RuleKey, []int64{first.ID, op.ID}, "the key %q was answered %d and later %d %s", r.key,
				first.Status, op.Status,
				op.Code)
		}
	}
}

// storedAnswer compares what was answered with what is stored.
func (c *checker) storedAnswer(r *request) {
	untouched := true
	for _, op := range r.tries {
		untouched = untouched && nothing(op)
		if !final(op) {
			continue
		}
		switch {
		case r.stored == nil || r.stored.Status == nil:
			c.violate(RuleLost, []int64{op.ID}, "the answer %d to the key %q isn't stored", op.Status, r.key)
		case *r.stored.Status != op.Status || !bytes.Equal(canonical(r.stored.Body), canonical(op.Response)):
			c.violate(RuleKey, []int64{op.ID}, "the key %q was answered %d %s, and %d %s is stored", r.key, op.Status,
				op.Response,
				*r.stored.Status, r.stored.Body)
		}
	}
	// What a payment's later phases answer is not all of what became of it.
	if untouched && r.stored != nil && !r.moves() {
		c.violate(RuleRefusal, r.ids(),
			"every try of the key %q was answered that nothing was written, and %q is stored", r.key,
			r.stored.Body)
	}
}

package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// walletState is the model of one wallet. Its methods replace the lists and never change them in place: porcupine keeps
// earlier states.
type walletState struct {
	balance, held, version int64
	lots                   []walletLot  // what expires of what is available, the soonest first
	holds                  []walletHold // the open ones, the oldest first
}

// walletLot is credit that expires.
type walletLot struct {
	ExpiresAt time.Time `json:"expires_at"`
	Amount    int64     `json:"amount"`
}

// walletHold is an open hold, with what expires of its amount. payment says that only a payment may end it.
type walletHold struct {
	id      string
	amount  int64
	lots    []walletLot
	payment bool
}

func readLots(text string) (lots []walletLot) {
	if text == "" {
		return nil
	}
	return read[[]walletLot](json.RawMessage(text))
}

func sameLots(a, b []walletLot) bool {
	return slices.EqualFunc(a, b,
		func(a, b walletLot) bool { return a.Amount == b.Amount && a.ExpiresAt.Equal(b.ExpiresAt) })
}

func sumLots(lots []walletLot) (sum int64) {
	for _, l := range lots {
		sum += l.Amount
	}
	return sum
}

// splitLots returns the first lots, up to an amount, and the rest.
func splitLots(lots []walletLot, amount int64) (first, rest []walletLot) {
	for i, l := range lots {
		part := min(l.Amount, amount-sumLots(first))
		if part > 0 {
			first = append(first, walletLot{l.ExpiresAt, part})
		}
		if part < l.Amount {
			return first, append([]walletLot{{l.ExpiresAt, l.Amount - part}}, lots[i+1:]...)
		}
	}
	return first, nil
}

func (s walletState) equal(other walletState) bool {
	return s.balance == other.balance && s.held == other.held && s.version == other.version &&
		sameLots(s.lots, other.lots) &&
		slices.EqualFunc(s.holds, other.holds, func(a, b walletHold) bool {
			return a.id == b.id && a.amount == b.amount && a.payment == b.payment && sameLots(a.lots, b.lots)
		})
}

func (s walletState) available() int64 { return s.balance - s.held }

// expired returns the lots that have expired at a time.
func (s walletState) expired(at time.Time) []walletLot {
	n := 0
	for n < len(s.lots) && !s.lots[n].ExpiresAt.After(at) {
		n++
	}
	return s.lots[:n]
}

// availableAt is what can be spent at a time.
func (s walletState) availableAt(at time.Time) int64 { return s.available() - sumLots(s.expired(at)) }

// hold returns an open hold, nil if it isn't open.
func (s walletState) hold(id string) *walletHold {
	i := slices.IndexFunc(s.holds, func(h walletHold) bool { return h.id == id })
	if i < 0 {
		return nil
	}
	return &s.holds[i]
}

// add adds lots. Credit that expires at one time is one lot.
func (s *walletState) add(lots []walletLot) {
	s.lots = slices.Clone(s.lots)
	for _, l := range lots {
		i, found := slices.BinarySearchFunc(s.lots, l,
			func(a, b walletLot) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
		if found {
			s.lots[i].Amount += l.Amount
		} else {
			s.lots = slices.Insert(s.lots, i, l)
		}
	}
}

// take removes an amount from the lots, the soonest first, and returns what it removed. What doesn't expire is taken
// last.
func (s *walletState) take(amount int64) (taken []walletLot) {
	taken, s.lots = splitLots(s.lots, amount)
	return taken
}

// apply makes the change of an entry, and says why the entry can't follow. It is empty if it can.
func (s *walletState) apply(e *WalletEntry) (why string) {
	lots, expired := readLots(e.Lots), s.expired(e.OccurredAt)
	ends := e.Type == "captured" || e.Type == "released"
	switch {
	case e.Version != s.version+1:
		return fmt.Sprintf("it follows entry %d", s.version)
	case e.Type == "expired" && (!sameLots(lots, expired) || e.Amount != sumLots(lots)):
		return fmt.Sprintf("it ends %s, and %v has expired", e.Lots, expired)
	case e.Type != "expired" && !ends && len(expired) > 0:
		return fmt.Sprintf("%v has expired before", expired)
	}
	s.version++
	switch e.Type {
	case "opened":
	case "credited", "transferred_in", "refunded":
		s.balance += e.Amount
		s.add(lots)
		if len(s.expired(e.OccurredAt)) > 0 {
			return "it adds credit that has expired"
		}
	case "debited", "transferred_out", "paid":
		s.balance -= e.Amount
		s.take(e.Amount)
	case "expired":
		s.balance -= e.Amount
		s.take(e.Amount)
	case "held":
		s.held += e.Amount
		s.holds = append(slices.Clip(s.holds), walletHold{e.Hold, e.Amount, s.take(e.Amount), e.Payment != ""})
	case "captured", "released":
		h := s.hold(e.Hold)
		switch {
		case h == nil:
			return "its hold isn't open"
		case e.Amount > h.amount || e.Type == "released" && e.Amount != h.amount:
			return fmt.Sprintf("its hold has %d", h.amount)
		case h.payment != (e.Payment != ""):
			return "a hold of a payment ends with the payment, and no other way"
		}
		left := h.lots
		s.held -= h.amount
		if e.Type == "captured" {
			s.balance -= e.Amount
			_, left = splitLots(h.lots, e.Amount)
		}
		s.holds = slices.DeleteFunc(slices.Clone(s.holds), func(o walletHold) bool { return o.id == e.Hold })
		s.add(left)
	default:
		return "its type isn't known"
	}
	switch {
	case s.balance != e.Balance || s.held != e.Held:
		return fmt.Sprintf("the entries add up to %d, of which %d are held", s.balance, s.held)
	case s.held < 0 || s.available() < sumLots(s.lots):
		return "it spends more than there is"
	}
	return ""
}

// shows reports whether an answer shows the wallet as it is.
func (s walletState) shows(a *walletAnswer) bool {
	return s.balance == a.Balance && s.held == a.Held && s.version == a.Version && sameLots(s.lots, a.Expiring) &&
		slices.EqualFunc(s.holds, a.Holds,
			func(h walletHold, o walletAnswerHold) bool { return h.id == o.ID && h.amount == o.Amount })
}

// shownBy reports whether a read shows the wallet, without none, some or all of its credit that expires: a server
// leaves out what has expired by its own clock. The entity tag is the version and, behind it, how many lots are left
// out.
func (s walletState) shownBy(a *walletAnswer, tag string) bool {
	want := fmt.Sprintf(`"%d"`, a.Version)
	for left := 1; ; left++ {
		if s.shows(a) && tag == want {
			return true
		}
		if len(s.lots) == 0 {
			return false
		}
		s.balance, s.lots = s.balance-s.lots[0].Amount, s.lots[1:]
		want = fmt.Sprintf(`"%d-%d"`, a.Version, left)
	}
}

// inTurn sorts the entries of a movement by wallet and version. What a transfer takes comes before what it gives.
func inTurn(entries []*WalletEntry) {
	slices.SortStableFunc(entries, func(a, b *WalletEntry) int {
		return cmp.Or(cmp.Compare(direction(a), direction(b)), cmp.Compare(a.Wallet, b.Wallet),
			cmp.Compare(a.Version, b.Version))
	})
}

func direction(e *WalletEntry) int {
	if e.Type == "transferred_in" {
		return 1
	}
	return 0
}

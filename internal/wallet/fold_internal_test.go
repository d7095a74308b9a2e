package wallet

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

// coin is one minor unit of a model wallet. expires is in hours from the epoch, never for credit that doesn't expire.
type coin struct{ expires int }

const never = 1 << 30

// modelWallet is a wallet that keeps each minor unit by itself.
type modelWallet struct {
	free  []coin // in the order in which they are spent
	holds map[uuid.UUID][]coin
}

func (m *modelWallet) add(coins ...coin) {
	m.free = append(m.free, coins...)
	slices.SortStableFunc(m.free, func(a, b coin) int { return cmp.Compare(a.expires, b.expires) })
}

// take removes the first coins.
func (m *modelWallet) take(n int) []coin {
	taken := slices.Clone(m.free[:n])
	m.free = slices.Delete(m.free, 0, n)
	return taken
}

// lapse removes the coins that have expired by an hour.
func (m *modelWallet) lapse(hour int) {
	m.free = slices.DeleteFunc(m.free, func(c coin) bool { return c.expires <= hour })
}

func (m *modelWallet) batches() []CreditBatch {
	var batches []CreditBatch
	for _, c := range m.free {
		switch {
		case c.expires == never:
		case len(batches) > 0 && batches[len(batches)-1].ExpiresAt.Equal(hourOf(c.expires)):
			batches[len(batches)-1].Amount++
		default:
			batches = append(batches, CreditBatch{hourOf(c.expires), 1})
		}
	}
	return batches
}

func (m *modelWallet) held() (n int) {
	for _, h := range m.holds {
		n += len(h)
	}
	return n
}

func hourOf(hour int) time.Time { return time.Unix(int64(hour)*3600, 0).UTC() }

func TestLedgerTransaction_AnyCommands_AgreeWithAModelOfSingleUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		models := []*modelWallet{{holds: map[uuid.UUID][]coin{}}, {holds: map[uuid.UUID][]coin{}}}
		wallets := []*Wallet{{ID: uuid.New(), Currency: "EUR"}, {ID: uuid.New(), Currency: "EUR"}}
		streams := make(map[uuid.UUID][]change)
		posted := map[string]int64{}
		hour := 0
		// run runs a command and writes what it leaves, as once does: after an error, nothing.
		run := func(act func(m *LedgerTransaction) error) error {
			m := NewLedgerTransaction(hourOf(hour))
			before := []Wallet{*wallets[0], *wallets[1]}
			if err := act(m); err != nil {
				*wallets[0], *wallets[1] = before[0], before[1]
				return err
			}
			for _, c := range m.changes {
				streams[c.wallet.ID] = append(streams[c.wallet.ID], c)
			}
			for _, p := range m.postings {
				posted[accountName(p.FromAccount, p.FromWallet)] -= p.Amount
				posted[accountName(p.ToAccount, p.ToWallet)] += p.Amount
			}
			return nil
		}
		for _, w := range wallets {
			require.NoError(t, run(func(m *LedgerTransaction) error { return m.open(w) }))
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				total := int64(0)
				for i, w := range wallets {
					now := w.Current(hourOf(hour))
					require.Equal(t, int64(len(models[i].free)), now.Available())
					require.Equal(t, int64(models[i].held()), now.Held)
					require.Equal(t, stateOf(t, Wallet{Batches: models[i].batches()}),
						stateOf(t, Wallet{Batches: now.Batches}))
					require.Len(t, now.Holds, len(models[i].holds))
					require.GreaterOrEqual(t, w.Available(), int64(0))
					require.GreaterOrEqual(t, w.Held, int64(0))
					require.Equal(t, w.Available(), posted[accountName("available", &w.ID)])
					require.Equal(t, w.Held, posted[accountName("held", &w.ID)])
					total += w.Balance
				}
				for _, own := range []account{issued, redeemed, expired, refunds} {
					total += posted[own.name]
				}
				require.Zero(t, total, "wallets and the tenant's own accounts add up to zero")
			},
			"time passes": func(t *rapid.T) {
				hour += rapid.IntRange(0, 3).Draw(t, "hours")
				for _, m := range models {
					m.lapse(hour)
				}
			},
			"the event comes": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "wallet")
				require.NoError(t, run(func(m *LedgerTransaction) error { return m.Expire(wallets[i]) }))
				require.Empty(t, wallets[i].expired(hourOf(hour)))
			},
			"credit": func(t *rapid.T) {
				i, n := rapid.IntRange(0, 1).Draw(t, "wallet"), rapid.IntRange(1, 20).Draw(t, "amount")
				expires := never
				var at *time.Time
				if rapid.Bool().Draw(t, "expires") {
					expires = hour + rapid.IntRange(-1, 6).Draw(t, "in")
					time := hourOf(expires)
					at = &time
				}
				err := run(func(m *LedgerTransaction) error {
					return m.Credit(wallets[i], int64(n), at,
						Description{})
				})
				require.Equal(t, expires <= hour, problem.Is(err, problem.ValidationFailed))
				if err == nil {
					models[i].add(slices.Repeat([]coin{{expires}}, n)...)
				}
			},
			"refund": func(t *rapid.T) {
				i, n := rapid.IntRange(0, 1).Draw(t, "wallet"), rapid.IntRange(1, 20).Draw(t, "amount")
				require.NoError(t, run(func(m *LedgerTransaction) error {
					return m.Refund(wallets[i], int64(n),
						uuid.New(), uuid.New())
				}))
				models[i].add(slices.Repeat([]coin{{never}}, n)...)
			},
			"debit or pay": func(t *rapid.T) {
				i, n := rapid.IntRange(0, 1).Draw(t, "wallet"), rapid.IntRange(1, 30).Draw(t, "amount")
				pay := rapid.Bool().Draw(t, "pay")
				err := run(func(m *LedgerTransaction) error {
					if pay {
						return m.Pay(wallets[i], int64(n), uuid.New(), uuid.New())
					}
					return m.Debit(wallets[i], int64(n), Description{})
				})
				require.Equal(t, n > len(models[i].free), problem.Is(err, problem.InsufficientFunds))
				if err == nil {
					models[i].take(n)
				}
			},
			"transfer": func(t *rapid.T) {
				i, n := rapid.IntRange(0, 1).Draw(t, "from"), rapid.IntRange(1, 30).Draw(t, "amount")
				err := run(func(m *LedgerTransaction) error {
					return m.Transfer(wallets[i], wallets[1-i], int64(n),
						Description{})
				})
				require.Equal(t, n > len(models[i].free), problem.Is(err, problem.InsufficientFunds))
				if err == nil {
					models[1-i].add(models[i].take(n)...)
				}
			},
			"hold": func(t *rapid.T) {
				i, n, id := rapid.IntRange(0, 1).Draw(t, "wallet"), rapid.IntRange(1, 30).Draw(t, "amount"), uuid.New()
				err := run(func(m *LedgerTransaction) error { return m.Hold(wallets[i], id, int64(n), Entry{}) })
				require.Equal(t, n > len(models[i].free), problem.Is(err, problem.InsufficientFunds))
				if err == nil {
					models[i].holds[id] = models[i].take(n)
				}
			},
			"capture or release": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "wallet")
				if len(wallets[i].Holds) == 0 {
					t.Skip("no open hold")
				}
				h := rapid.SampledFrom(wallets[i].Holds).Draw(t, "hold")
				coins := models[i].holds[h.ID]
				n := rapid.IntRange(0, len(coins)+1).Draw(t, "captured")
				err := run(func(m *LedgerTransaction) error {
					if n == 0 {
						return m.Release(wallets[i], h, Entry{})
					}
					amount := int64(n)
					return m.Capture(wallets[i], h, &amount, Entry{})
				})
				require.Equal(t, n > len(coins), problem.Is(err, problem.ValidationFailed))
				if err == nil {
					delete(models[i].holds, h.ID)
					models[i].add(coins[n:]...) // what expires soonest was spent
					models[i].lapse(hour)
				}
			},
		})
		for _, w := range wallets {
			requireFold(t, *w, streams[w.ID])
		}
	})
}

// accountName names an account of a wallet, or of the tenant.
func accountName(name string, wallet *uuid.UUID) string {
	if wallet == nil {
		return name
	}
	return name + " of " + wallet.String()
}

func stateOf(t require.TestingT, w Wallet) string {
	text, err := w.state()
	require.NoError(t, err)
	return string(text)
}

// requireFold requires that entries, written and read again, give a wallet: all of them, and those after each entry's
// snapshot.
func requireFold(t require.TestingT, want Wallet, stream []change) {
	entries := make([]Entry, len(stream))
	for i, c := range stream {
		row, err := c.entry.row()
		require.NoError(t, err)
		entries[i], err = entryFromRow(row)
		require.NoError(t, err)
	}
	snapshots := append([]Wallet{{ID: want.ID, Currency: want.Currency}}, make([]Wallet, len(stream))...)
	for i, c := range stream {
		text, err := json.Marshal(json.RawMessage(stateOf(t, c.wallet)))
		require.NoError(t, err)
		snapshots[i+1], err = fromRow(walletRow{
			WalletID:  want.ID,
			Currency:  want.Currency,
			Balance:   c.entry.Balance,
			Held:      c.entry.Held,
			State:     text,
			Version:   c.entry.Version,
			UpdatedAt: c.entry.OccurredAt,
		})
		require.NoError(t, err)
	}
	for i, w := range snapshots {
		for _, e := range entries[i:] {
			require.NoError(t, w.follow(e))
		}
		require.Equal(t, want.Version, w.Version)
		require.Equal(t, want.UpdatedAt, w.UpdatedAt)
		require.Empty(t, w.difference(want.Balance, want.Held, []byte(stateOf(t, want))))
	}
}

func TestApply_EntryThatDoesNotFollow_IsRefused(t *testing.T) {
	t.Parallel()
	hold, soon := uuid.New(), hourOf(9)
	begin := func() Wallet {
		var w Wallet
		for _, e := range []Entry{
			{Version: 1, Type: Opened}, {Version: 2, Type: Credited, Amount: 10, Batches: []CreditBatch{{soon, 4}}},
			{Version: 3, Type: Held, Amount: 3, HoldID: &hold},
		} {
			e.OccurredAt = hourOf(1)
			require.NoError(t, w.apply(e))
		}
		return w
	}
	other := uuid.New()
	for name, e := range map[string]Entry{
		"a gap":                          {Version: 5, Type: Credited, Amount: 1},
		"the same version again":         {Version: 3, Type: Credited, Amount: 1},
		"an unknown type":                {Version: 4, Type: "granted", Amount: 1},
		"opened twice":                   {Version: 4, Type: Opened},
		"a credit of nothing":            {Version: 4, Type: Credited},
		"a negative credit":              {Version: 4, Type: Credited, Amount: -1},
		"more expires than was credited": {Version: 4, Type: Credited, Amount: 1, Batches: []CreditBatch{{soon, 2}}},
		"more is debited than there is":  {Version: 4, Type: Debited, Amount: 8},
		"more is held than there is":     {Version: 4, Type: Held, Amount: 8, HoldID: &other},
		"a hold without an id":           {Version: 4, Type: Held, Amount: 1},
		"a hold that is open":            {Version: 4, Type: Held, Amount: 1, HoldID: &hold},
		"the end of no hold":             {Version: 4, Type: Released, Amount: 3},
		"the end of another hold":        {Version: 4, Type: Captured, Amount: 3, HoldID: &other},
		"more is captured than is held":  {Version: 4, Type: Captured, Amount: 4, HoldID: &hold},
		"less is released than is held":  {Version: 4, Type: Released, Amount: 2, HoldID: &hold},
		"more expires than there is":     {Version: 4, Type: Expired, Amount: 4, Batches: []CreditBatch{{soon, 4}}},
		"expires at another time": {Version: 4, Type: Expired, Amount: 1,
			Batches: []CreditBatch{{hourOf(8), 1}}},
		"more expires than its batches": {Version: 4, Type: Expired, Amount: 2, Batches: []CreditBatch{{soon, 1}}},
		"an earlier time":               {Version: 4, Type: Credited, Amount: 1, OccurredAt: hourOf(0)},
	} {
		w := begin()
		if e.OccurredAt.IsZero() {
			e.OccurredAt = hourOf(1)
		}
		require.Error(t, w.apply(e), name)
	}
	w := begin()
	require.Error(t, w.follow(Entry{Version: 4, Type: Debited, Amount: 1, Balance: 10, Held: 3, OccurredAt: hourOf(1)}),
		"the entry's own balance is another")
}

func TestCredit_AtManyTimes_IsBounded(t *testing.T) {
	t.Parallel()
	w := Wallet{ID: uuid.New(), Currency: "EUR"}
	m := NewLedgerTransaction(hourOf(0))
	require.NoError(t, m.open(&w))
	credit := func(hour int) error { at := hourOf(hour); return m.Credit(&w, 1, &at, Description{}) }
	for hour := range maxBatches {
		require.NoError(t, credit(1+hour))
	}
	require.NoError(t, m.Hold(&w, uuid.New(), 50, Entry{}))
	require.True(t, problem.Is(credit(maxBatches+1), problem.InvalidState), "batches that are held count")
	require.NoError(t, credit(maxBatches), "a time that is there already adds no batch")
	require.NoError(t, m.Credit(&w, 1, nil, Description{}))
	require.NoError(t, m.Release(&w, w.Holds[0], Entry{}))
	require.Len(t, w.Batches, maxBatches)
}

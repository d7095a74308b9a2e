package workload

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"holdfast/tools/torture/history"
)

// walletsEach is how many wallets a tenant has: few, so that clients meet.
const walletsEach = 4

// rememberedHolds bounds how many holds of a wallet clients choose from. Some of them have ended.
const rememberedHolds = 12

// Wallet is what clients know of a wallet.
type Wallet struct {
	ID string

	mu    sync.Mutex
	holds []walletHold
}

type walletHold struct {
	id     string
	amount int64
}

func (w *Wallet) addHold(h walletHold) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.holds, h) {
		return
	}
	w.holds = append(w.holds, h)
	if surplus := len(w.holds) - rememberedHolds; surplus > 0 {
		w.holds = slices.Delete(w.holds, 0, surplus)
	}
}

// hold returns one of the holds that clients know, young ones more often; false without any.
func (w *Wallet) hold(random *rand.Rand) (walletHold, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.holds)
	if n == 0 {
		return walletHold{}, false
	}
	return w.holds[n-1-min(random.IntN(n), random.IntN(n))], true
}

func (t *Tenant) anyWallet(random *rand.Rand) *Wallet { return t.Wallets[random.IntN(len(t.Wallets))] }

// longestCredit is in how many seconds credit expires at most, if it expires. Times are whole seconds, so that some
// credits share one.
const longestCredit = 10

// changeWallet credits or debits a wallet, or holds an amount of it. Every second credit expires. A debit or a hold may
// be more than there is.
type changeWallet struct {
	kind, part string
	most       int64
}

// Kind says what is done to the wallet.
func (o changeWallet) Kind() string { return o.kind }

// Next chooses a wallet and an amount.
func (o changeWallet) Next(c *Client) *Request {
	w := c.Tenant.anyWallet(c.Random)
	body := map[string]any{"amount": 1 + c.Random.Int64N(o.most)}
	if o.part == "credits" && c.Random.IntN(2) == 0 {
		body["expires_at"] = time.Now().Add(time.Duration(2+
			c.Random.IntN(longestCredit)) * time.Second).Truncate(time.Second).UTC()
	}
	return &Request{Method: http.MethodPost, Path: "/v1/wallets/" + w.ID + "/" + o.part, Body: body, Wallet: w}
}

// Learn remembers a hold, to capture or to release it.
func (changeWallet) Learn(_ *Client, r *Request, a Answer) {
	var made struct {
		Entry struct {
			HoldID string `json:"hold_id"`
			Amount int64  `json:"amount"`
		} `json:"entry"`
	}
	if a.Outcome == history.Done && json.Unmarshal(a.Body, &made) == nil && made.Entry.HoldID != "" {
		r.Wallet.addHold(walletHold{made.Entry.HoldID, made.Entry.Amount})
	}
}

// endWalletHold captures or releases a hold. A capture takes the whole hold, a part of it, or now and then more than it
// has.
type endWalletHold struct{ kind, part string }

// Kind says how the hold ends.
func (o endWalletHold) Kind() string { return o.kind }

// Next chooses a hold, which may have ended.
func (o endWalletHold) Next(c *Client) *Request {
	w := c.Tenant.anyWallet(c.Random)
	h, ok := w.hold(c.Random)
	if !ok {
		return nil
	}
	body := map[string]any{}
	if o.part == "capture" && c.Random.IntN(2) == 0 {
		body["amount"] = 1 + c.Random.Int64N(h.amount+h.amount/8+1)
	}
	return &Request{Method: http.MethodPost, Path: "/v1/wallets/" + w.ID + "/holds/" + h.id + "/" + o.part, Body: body,
		Wallet: w}
}

// Learn has nothing to learn.
func (endWalletHold) Learn(*Client, *Request, Answer) {}

// transfer moves credit between two wallets of a tenant, in either direction.
type transfer struct{}

// Kind is "transfer".
func (transfer) Kind() string { return "transfer" }

// Next chooses two wallets and an amount, which may be more than there is.
func (transfer) Next(c *Client) *Request {
	const most = 800
	n := len(c.Tenant.Wallets)
	from := c.Random.IntN(n)
	to := (from + 1 + c.Random.IntN(n-1)) % n
	return &Request{Method: http.MethodPost, Path: "/v1/transfers", Body: map[string]any{
		"from": c.Tenant.Wallets[from].ID, "to": c.Tenant.Wallets[to].ID, "amount": 1 + c.Random.Int64N(most),
	}}
}

// Learn has nothing to learn.
func (transfer) Learn(*Client, *Request, Answer) {}

// readWallet reads a wallet.
type readWallet struct{}

// Kind is "wallet-read".
func (readWallet) Kind() string { return "wallet-read" }

// Next chooses a wallet.
func (readWallet) Next(c *Client) *Request {
	return &Request{Method: http.MethodGet, Path: "/v1/wallets/" + c.Tenant.anyWallet(c.Random).ID}
}

// Learn has nothing to learn.
func (readWallet) Learn(*Client, *Request, Answer) {}

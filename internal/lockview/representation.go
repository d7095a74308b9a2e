package lockview

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// LocksBody is the advisory locks of the database, and who waits for whom, whatever the lock.
type LocksBody struct {
	At       time.Time     `json:"at" example:"2027-07-01T08:30:00Z" doc:"The database's time."`
	Waiting  int           `json:"waiting" example:"3" doc:"The sessions that wait for a lock, whatever it is: an advisory one, of a table, of a row."`
	Blockers []BlockerBody `json:"blockers" nullable:"false" doc:"The sessions that wait for nobody and that others wait for, whatever the lock: the one with most behind it first."`
	Locks    []LockBody    `json:"locks" nullable:"false" doc:"Those that somebody holds or awaits: first the ones that are awaited, longest wait first."`
	Longest  []LinkBody    `json:"longest_wait" nullable:"false" doc:"The chain behind the longest wait: that waiter first, at the end who must finish before anybody moves. Empty when nobody waits."`
}

// LockBody is one lock with its sessions.
type LockBody struct {
	Key      string       `json:"key" example:"4634033524858642013" doc:"The signed bigint, as text because many JSON readers round large numbers."`
	ClassID  uint32       `json:"classid" example:"1078945008" doc:"The key's high half, as pg_locks shows it."`
	ObjectID uint32       `json:"objid" example:"1316183645" doc:"The key's low half."`
	SubID    int          `json:"objsubid" example:"1" doc:"1 for a bigint key, 2 for two integers, which Holdfast doesn't use."`
	Names    []NameBody   `json:"names" nullable:"false" doc:"What the key stands for: empty if that isn't known, several if names collide."`
	Holders  []HolderBody `json:"holders" nullable:"false"`
	Waiters  []WaiterBody `json:"waiters" nullable:"false" doc:"In the order in which they began to wait."`
}

// NameBody is a lock's name.
type NameBody struct {
	Name       string     `json:"name" example:"01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14"`
	Pattern    string     `json:"pattern" example:"{tenant}:{date}" doc:"The name's row in docs/locks-registry.md."`
	TenantID   *uuid.UUID `json:"tenant_id,omitempty" format:"uuid" doc:"Absent for a lock of the whole database."`
	TenantSlug string     `json:"tenant_slug,omitempty" example:"harbour"`
	session    bool       // a session takes the lock, not a transaction
}

// LockSessionBody is a connection to the database. It is exported because huma sees embedded structs only if they are.
type LockSessionBody struct {
	PID             int    `json:"pid" example:"11352" doc:"The backend's process; 0 for a prepared transaction."`
	User            string `json:"user" example:"holdfast"`
	ApplicationName string `json:"application_name" example:"holdfast"`
	ClientAddress   string `json:"client_address" example:"10.0.0.7" doc:"Empty over a Unix socket. Behind a pooler it is the pooler's."`
	State           string `json:"state" example:"active"`
	Query           string `json:"query" example:"COMMIT" doc:"What runs, or ran last, up to 1000 characters, without parameters."`
}

// HolderBody is a session that holds a lock.
type HolderBody struct {
	LockSessionBody
	Shared   bool   `json:"shared"`
	AtMostMS *int64 `json:"held_at_most_ms,omitempty" example:"2503" doc:"The age of the transaction, or, for a session lock, of the connection: PostgreSQL doesn't keep when a lock was granted. Absent if neither is known."`
}

// WaiterBody is a session that awaits a lock.
type WaiterBody struct {
	LockSessionBody
	Shared    bool  `json:"shared"`
	WaitingMS int64 `json:"waiting_ms" example:"1509"`
	BlockedBy []int `json:"blocked_by" nullable:"false" doc:"The processes that hold the lock or stand ahead in the queue."`
	Chain     []int `json:"chain" nullable:"false" doc:"The processes from this one to the one that must finish before anybody in between moves."`
}

// BlockerBody is a session that keeps others waiting and waits for nobody itself.
type BlockerBody struct {
	LockSessionBody
	TransactionMS *int64   `json:"transaction_ms,omitempty" example:"61250" doc:"The age of its transaction. Absent if it has none, or if the login may not see it: GRANT pg_read_all_stats."`
	Waiting       int      `json:"waiting" example:"15" doc:"The sessions behind it, directly or behind one another."`
	LongestMS     int64    `json:"longest_ms" example:"60010" doc:"The longest of their waits."`
	Locks         []string `json:"locks" nullable:"false" example:"[\"table bookings\"]" doc:"What it holds that others wait for: an advisory lock's name, a table, or a row of a table."`
}

// LinkBody is one session of a chain.
type LinkBody struct {
	LockSessionBody
	WaitsFor  string `json:"waits_for,omitempty" example:"01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14" doc:"The name, or else the key, of the advisory lock that it awaits, or the table or row; absent for who waits for nobody."`
	WaitingMS int64  `json:"waiting_ms" example:"1509" doc:"0 if it waits for nobody."`
}

// JSON returns the body of GET /admin/v1/locks, on one line.
func (v LocksBody) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

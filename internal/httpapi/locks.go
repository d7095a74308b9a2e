package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/lockview"
)

// locksBody is the advisory locks of the database.
type locksBody struct {
	At      time.Time  `json:"at" example:"2027-07-01T08:30:00Z" doc:"The database's time."`
	Locks   []lockBody `json:"locks" nullable:"false" doc:"Those that somebody holds or awaits: first the ones that are awaited, longest wait first."`
	Longest []linkBody `json:"longest_wait" nullable:"false" doc:"The chain behind the longest wait: that waiter first, at the end who must finish before anybody moves. Empty when nobody waits."`
}

// lockBody is one lock with its sessions.
type lockBody struct {
	Key      string       `json:"key" example:"4634033524858642013" doc:"The signed bigint, as text because many JSON readers round large numbers."`
	ClassID  uint32       `json:"classid" example:"1078945008" doc:"The key's high half, as pg_locks shows it."`
	ObjectID uint32       `json:"objid" example:"1316183645" doc:"The key's low half."`
	SubID    int          `json:"objsubid" example:"1" doc:"1 for a bigint key, 2 for two integers, which Holdfast doesn't use."`
	Names    []nameBody   `json:"names" nullable:"false" doc:"What the key stands for: empty if that isn't known, several if names collide."`
	Holders  []holderBody `json:"holders" nullable:"false"`
	Waiters  []waiterBody `json:"waiters" nullable:"false" doc:"In the order in which they began to wait."`
}

// nameBody is a lock's name.
type nameBody struct {
	Name       string     `json:"name" example:"01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14"`
	Pattern    string     `json:"pattern" example:"{tenant}:{date}" doc:"The name's row in docs/locks-registry.md."`
	TenantID   *uuid.UUID `json:"tenant_id,omitempty" format:"uuid" doc:"Absent for a lock of the whole database."`
	TenantSlug string     `json:"tenant_slug,omitempty" example:"harbour"`
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

// holderBody is a session that holds a lock.
type holderBody struct {
	LockSessionBody
	Shared   bool   `json:"shared"`
	AtMostMS *int64 `json:"held_at_most_ms,omitempty" example:"2503" doc:"The age of the transaction, or, for a session lock, of the connection: PostgreSQL doesn't keep when a lock was granted. Absent if neither is known."`
}

// waiterBody is a session that awaits a lock.
type waiterBody struct {
	LockSessionBody
	Shared    bool  `json:"shared"`
	WaitingMS int64 `json:"waiting_ms" example:"1509"`
	BlockedBy []int `json:"blocked_by" nullable:"false" doc:"The processes that hold the lock or stand ahead in the queue."`
	Chain     []int `json:"chain" nullable:"false" doc:"The processes from this one to the one that must finish before anybody in between moves."`
}

// linkBody is one session of a chain.
type linkBody struct {
	LockSessionBody
	WaitsFor  string `json:"waits_for,omitempty" example:"01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14" doc:"The name, or else the key, of the lock that it awaits; absent for who waits for nobody."`
	WaitingMS int64  `json:"waiting_ms" example:"1509" doc:"0 unless it awaits an advisory lock."`
}

func (a *API) routeLocks() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-locks", Method: http.MethodGet, Path: "/admin/v1/locks", Summary: "See held and awaited locks",
		Description: "The advisory locks of the database under their names, who holds them, who waits, and who keeps whom waiting: " +
			"what holdfast locks --json prints. Requests that wait inside a server have no database session and aren't shown.",
		Tags: []string{"Administration"}, Security: []map[string][]string{{schemeAdminKey: {}}}, Errors: []int{400, 401, 403, 422, 503},
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body locksBody }, error) {
		v, err := a.Locks.View(ctx)
		if err != nil {
			return nil, err
		}
		return &struct{ Body locksBody }{locksBodyOf(v)}, nil
	})
}

// LocksJSON returns a view as GET /admin/v1/locks answers it, on one line.
func LocksJSON(v lockview.View) ([]byte, error) {
	var b bytes.Buffer
	err := huma.DefaultJSONFormat.Marshal(&b, locksBodyOf(v))
	return b.Bytes(), err
}

func locksBodyOf(v lockview.View) locksBody {
	body := locksBody{At: v.At, Locks: make([]lockBody, len(v.Locks)), Longest: make([]linkBody, len(v.Longest))}
	for i, l := range v.Locks {
		b := lockBody{
			Key: strconv.FormatInt(l.ID(), 10), ClassID: l.ClassID, ObjectID: l.ObjectID, SubID: l.SubID,
			Names: make([]nameBody, len(l.Names)), Holders: make([]holderBody, len(l.Holders)), Waiters: make([]waiterBody, len(l.Waiters)),
		}
		for j, n := range l.Names {
			b.Names[j] = nameBody{Name: n.Text, Pattern: n.Pattern, TenantSlug: n.TenantSlug}
			if n.TenantID != uuid.Nil {
				b.Names[j].TenantID = &n.TenantID
			}
		}
		for j, h := range l.Holders {
			b.Holders[j] = holderBody{LockSessionBody: lockSessionBodyOf(h.Session), Shared: h.Shared}
			if ms := h.AtMost.Milliseconds(); h.AtMost > 0 {
				b.Holders[j].AtMostMS = &ms
			}
		}
		for j, w := range l.Waiters {
			b.Waiters[j] = waiterBody{
				LockSessionBody: lockSessionBodyOf(w.Session), Shared: w.Shared, WaitingMS: w.Waiting.Milliseconds(),
				BlockedBy: w.BlockedBy, Chain: w.Chain,
			}
		}
		body.Locks[i] = b
	}
	for i, l := range v.Longest {
		body.Longest[i] = linkBody{LockSessionBody: lockSessionBodyOf(l.Session), WaitsFor: l.WaitsFor, WaitingMS: l.Waiting.Milliseconds()}
	}
	return body
}

func lockSessionBodyOf(s lockview.Session) LockSessionBody {
	return LockSessionBody{
		PID: s.PID, User: s.User, ApplicationName: s.Application, ClientAddress: s.Client, State: s.State, Query: s.Query,
	}
}

package core

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// With a synchronous standby, COMMIT writes the transaction to the primary's disk and then waits for the standby. A
// cancel request cuts only that wait short: COMMIT succeeds with a warning, and everybody sees the transaction. If the
// standby is promoted then, the transaction is gone (PostgreSQL manual, "Synchronous Replication"). A statement timeout
// doesn't: PostgreSQL ends it before it commits. See docs/adr/0027-commits-wait-for-the-standby.md.

// errNoCancelRequests is why a connection that is open dials no more.
var errNoCancelRequests = errors.New("cancel requests aren't sent")

// sendNoCancelRequests keeps the connection that is made by cfg from asking the server to cancel its statement. pgx
// does so when a connection breaks or a context ends, and would cut the wait of a COMMIT short. Statements end by the
// time limits that they were given.
func sendNoCancelRequests(cfg *pgx.ConnConfig) {
	var connected atomic.Bool
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNoCancelRequests
		}
		return dial(ctx, network, address)
	}
	cfg.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
}

// warnedError says that COMMIT succeeded with a warning.
type warnedError struct{ warning *pgconn.Notice }

func (e *warnedError) Error() string { return "COMMIT ended with a warning: " + e.warning.Message }

// lastWarning is where a connection keeps the last warning that it got.
const lastWarning = "holdfast.warning"

func noteWarning(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		conn.CustomData()[lastWarning] = n
	}
}

// takeWarning returns the last warning that a connection got since the last call, nil if there was none.
func takeWarning(conn *pgx.Conn) *pgconn.Notice {
	data := conn.PgConn().CustomData()
	n, ok := data[lastWarning].(*pgconn.Notice)
	if ok {
		delete(data, lastWarning)
	}
	return n
}

package db

import (
	"time"

	"holdfast/internal/db/internal/core"
)

// Statements are the statements of a generated package, Q, that run on transactions of the type X.
type Statements[Q any, X Transaction] struct {
	open func(core.Conn) Q
}

// UnderNothing opens statements that need no advisory lock: reads, and writes that locks of rows or constraints keep
// right. open is the generated package's New.
func UnderNothing[D any, Q interface{ UnderNothing() }](open func(D) Q) Statements[Q, Transaction] {
	return Statements[Q, Transaction]{opener(open)}
}

// UnderWallet opens statements that need the locks of the wallets that they change. open is the generated package's
// New.
func UnderWallet[D any, Q interface{ UnderWallet() }](open func(D) Q) Statements[Q, *WalletTx] {
	return Statements[Q, *WalletTx]{opener(open)}
}

// UnderBalance opens statements that need the balance lock of the booking that they change.
func UnderBalance[D any, Q interface{ UnderBalance() }](open func(D) Q) Statements[Q, *BalanceTx] {
	return Statements[Q, *BalanceTx]{opener(open)}
}

// UnderDates opens statements that need the locks of the dates that they change.
func UnderDates[D any, Q interface{ UnderDates() }](open func(D) Q) Statements[Q, *DatesTx] {
	return Statements[Q, *DatesTx]{opener(open)}
}

// opener returns open for the connections of the core. D is the generated package's own name for them.
func opener[D, Q any](open func(D) Q) func(core.Conn) Q {
	return func(c core.Conn) Q { return open(c.(D)) }
}

// On returns the queue of a transaction for these statements.
func (s Statements[Q, X]) On(tx X) Queue[Q] { return Queue[Q]{tx: tx.raw(), open: s.open} }

// Queue is where statements of a generated package, Q, wait until their transaction sends them, together with all
// others that were queued before.
type Queue[Q any] struct {
	tx   *core.Tx
	open func(core.Conn) Q
}

// Exec queues a statement that returns nothing. name says in errors what it does; failures say what its SQLSTATEs mean.
// run calls one function of Q. It is called once, to learn the statement.
func Exec[Q any](queue Queue[Q], name string, run func(Q) error, failures ...Failure) {
	core.ExecOf(queue.tx, queue.open, name, run, failures...)
}

// Query queues a query that returns a row, or any number of rows, into result. A single row that isn't there is
// problem.NotFound for the caller. run is as for Exec, and is called once more, to read the rows.
func Query[Q, T any](queue Queue[Q], name string, result *T, run func(Q) (T, error)) {
	core.QueryOf(queue.tx, queue.open, name, result, run)
}

// QueryWithClock is Query for a query that also reads the database's clock, which is Now of the transaction then. All
// locks of rows must have been queued before.
func QueryWithClock[Q, T any](queue Queue[Q], name string, result *T, run func(Q) (T, time.Time, error)) {
	queue.tx.ReadsClock = true
	Query(queue, name, result, func(q Q) (T, error) {
		got, now, err := run(q)
		queue.tx.Now = now
		return got, err
	})
}

// Optional queues a query that returns one row or none, into row, which is nil without one. run is as for Query.
func Optional[Q, T any](queue Queue[Q], name string, row **T, run func(Q) (T, error)) {
	core.OptionalOf(queue.tx, queue.open, name, row, run)
}

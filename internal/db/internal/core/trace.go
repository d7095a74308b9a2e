package core

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"holdfast/internal/tracing"
)

// Names of the spans of waiting and of batches. A batch's statements have no spans of their own: PostgreSQL sends its
// results together, so this process can't tell how long each of them took.
const (
	spanLockQueue   = "wait in the queues of the locks"
	spanTenantQueue = "wait in the tenant's queue"
	spanConnection  = "wait for a connection"
	spanLockWait    = "wait for the locks in the database"
	spanRead        = "database: read"
	spanBegin       = "database: begin and read"
	spanCommit      = "database: write and commit"
	spanWhole       = "database: begin, write and commit"
)

// TraceIn has the spans of the transaction's next batches begin below the span of another context.
func (t *Tx) TraceIn(ctx context.Context) { t.Ctx = tracing.Of(ctx).In(t.Ctx) }

// batchSpan is the span of a batch that is sent.
type batchSpan struct {
	tracing.Span

	ctx   context.Context //nolint:containedctx // the span of the wait for the locks begins below it
	began time.Time
}

// startBatch begins the span of a batch. It costs nothing if none is recorded.
func (t *Tx) startBatch(last bool) batchSpan {
	name := spanBegin
	switch {
	case last && t.begun:
		name = spanCommit
	case last && t.isBlock() && !t.readOnly:
		name = spanWhole
	case last:
		name = spanRead
	}
	ctx, span := tracing.StartClient(t.Ctx, name)
	if !span.Recording() {
		return batchSpan{}
	}
	return batchSpan{Span: span, ctx: ctx, began: time.Now()}
}

// end ends the span of a batch with its statements and its error. With its first batch, first says, a transaction waits
// for its locks.
func (s batchSpan) end(t *Tx, b batch, first bool, err error) {
	if !s.Recording() {
		return
	}
	defer s.End()
	names := make([]string, len(b.statements))
	for i, statement := range b.statements {
		names[i] = statement.name
	}
	s.Set(semconv.DBSystemNamePostgreSQL, semconv.DBOperationBatchSize(len(names)),
		tracing.Statements.StringSlice(names))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.failWith(err)
	}
	if !first || len(t.locks) == 0 {
		return
	}
	s.Set(tracing.LockKind.String(t.kind), tracing.LockCount.Int(len(t.locks)))
	switch {
	case t.tried && err == nil:
		granted := 0
		for _, g := range t.granted {
			if g {
				granted++
			}
		}
		s.Set(tracing.LocksGranted.Int(granted))
	case !t.tried && (err == nil || waitedForLock(err)):
		s.lockWait(t, err)
	}
}

// lockWait adds the span of the wait for the locks. Its length is that by the database's clock; it begins with the
// batch, because the clocks of two machines differ.
func (s batchSpan) lockWait(t *Tx, err error) {
	_, wait := tracing.StartAt(s.ctx, spanLockWait, s.began)
	wait.Set(tracing.LockKind.String(t.kind), tracing.LockCount.Int(len(t.locks)))
	took := time.Since(s.began)
	if err != nil {
		batchSpan{Span: wait}.failWith(err)
	} else {
		took = min(max(t.Now.Sub(t.Began), 0), took)
	}
	wait.EndAt(s.began.Add(took))
}

// failWith says why a batch failed, by its SQLSTATE if there is one.
func (s batchSpan) failWith(err error) {
	state := StateOf(err)
	if state == "" {
		s.Fail("connection_lost")
		return
	}
	s.Set(semconv.DBResponseStatusCode(state))
	s.Fail(state)
}

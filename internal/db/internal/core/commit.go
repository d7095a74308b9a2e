package core

import "holdfast/internal/db/internal/dbsqlc"

// Commit sends what is queued, with the stored responses, and commits. If nothing is queued after read, it does
// nothing, and End rolls back; but where commits wait for a standby, it waits until the standby has what was read: the
// caller acknowledges that.
func (t *Tx) Commit() error {
	t.queueEvents()
	t.queueResponses()
	if t.begun && len(t.batch.statements) == 0 {
		if !t.synchronous {
			return nil
		}
		t.writeToLog()
	}
	return t.SendCommit()
}

// SendCommit sends what is queued and commits, also if the batch before has written all.
func (t *Tx) SendCommit() error {
	takeWarning(t.conn.Conn())
	err := t.send(true)
	if !isComplete(err) {
		return err
	}
	warning := takeWarning(t.conn.Conn())
	t.giveBack()
	if warning != nil {
		t.db.log.WarnContext(t.Ctx, "COMMIT ended with a warning: whether the change is on the standby is unknown",
			"warning", warning.Message, "detail", warning.Detail)
		return &lostError{err: &warnedError{warning}, committing: true}
	}
	t.notifyPlanned()
	return err
}

// writeToLog queues a write that changes nothing, so that the transaction's COMMIT waits for all that was committed
// before.
func (t *Tx) writeToLog() {
	Exec(t, "write to the log", func(q *dbsqlc.Queries) error { return q.SessionWriteToLog(t.Ctx) })
}

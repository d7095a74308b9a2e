package core

import "time"

// Time limits that have no setting of their own. All are longer than what they guard should ever take.
const (
	statementTimeout = 10 * time.Second // on top of the lock timeout, which is part of a statement's time
	idleTimeout      = 10 * time.Second // a frozen process loses its locks after this
	acquireTimeout   = 5 * time.Second
	// No attempt begins after attemptsTime, and a batch that waits for many locks ends after longestBatch: the HTTP
	// server closes a connection that has no answer after a while, and a refusal must come before.
	attemptsTime  = 15 * time.Second
	longestBatch  = 30 * time.Second
	finishTimeout = 5 * time.Second // of what runs in the background: rollbacks, notifications
)

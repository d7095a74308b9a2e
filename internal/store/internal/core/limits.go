package core

import "time"

// Time limits that have no setting of their own. All are longer than what they guard should ever take.
const (
	statementTimeout = 10 * time.Second // on top of the lock timeout, which is part of a statement's time
	idleTimeout      = 10 * time.Second // a frozen process loses its locks after this
	acquireTimeout   = 5 * time.Second
	finishTimeout    = 5 * time.Second // of what runs in the background: rollbacks, notifications
)

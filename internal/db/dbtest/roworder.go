package dbtest

import (
	"regexp"
	"slices"
)

// RowOrder is the order in which a transaction waits for rows that it reads and keeps: by the statements that lock
// them, those of one line in any order. A transaction may leave lines out and doesn't go back. Locks that statements
// skip if they are held (SKIP LOCKED) deadlock with nobody and aren't here, nor are rows that a commit writes: where
// those cross, PostgreSQL ends one transaction, and it is run again.
var RowOrder = [][]string{
	{"TenantLock", "WebhookTenantLock", "TenantDeletionLock"}, // the row of the tenant
	{"MoveCopyLock", "MoveLockMoved"},
	{"BookingLock", "CustomerBookingLock"},
	{"EndedBookingGet"},
	{"CustomerLock", "CustomerKeep"},
	{"ResourceLock"},
	{"ServiceLock"},
	{"WebhookEndpointGetLocked"},
	{"EventGetLocked", "WebhookDeliveryGetLocked", "EventFinishAttempts"},
	{"FeedPositionLock"},
	{"ChangeGetMany", "ChangeGetManyAcross"},
}

var statementName = regexp.MustCompile(`^-- name: (\w+) `)

// rowLine returns the line of RowOrder that a statement stands in, -1 for one that keeps no rows.
func rowLine(sql string) int {
	name := statementName.FindStringSubmatch(sql)
	if name == nil {
		return -1
	}
	return slices.IndexFunc(RowOrder, func(line []string) bool { return slices.Contains(line, name[1]) })
}

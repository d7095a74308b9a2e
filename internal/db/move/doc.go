// Package move moves a tenant between databases, which are two cells, while both serve. A move takes these steps. Each
// can be repeated after a crash, and by another process:
//
//	Compare     can a tenant move between them?
//	CopyAhead   all rows, in many transactions of the target, which takes the tenant to be elsewhere; workers and requests
//	            go on
//	Begin       in the source: workers claim no more events of the tenant, and those that are under way end; requests go on
//	Freeze      in the source: requests get problem.TenantMoving, and those that are under way end
//	HandOver    what came since, in one transaction of the target. Its commit is the moment of the move: the target serves
//	            the tenant
//	Finish      in the source: requests get problem.TenantMoved
//	DeleteLeft  in the source: the rows are deleted, a batch at a time
//
// Abort ends a move before it is handed over. The state is in the databases themselves, and every transaction of the
// tenant reads it there in its first statement: see SessionBegin. So a process that takes the tenant to be elsewhere
// harms nobody. See docs/adr/0038-moving-a-tenant.md.
//
//	move.go, wait.go           the steps in the source, and what they wait for
//	compare.go, measure.go     whether a tenant can move, and how long that would take
//	tables.go, rows.go         the statements of the tables that go with a tenant, reading their rows, and deleting what
//	                           it left
//	copy.go                    the copy, while the tenant is served
//	handover.go, delta.go      what came since the copy, and the commit that hands the tenant over
package move

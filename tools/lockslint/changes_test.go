package main

const (
	inLock = "internal/lock/lock.go:"
	inDB   = "internal/db/db.go:"
	inSQL  = "sql/queries/locks.sql:"
	onPage = "docs/locks-registry.md:"

	migrate = "func Migrate() {}"
	example = "order:01890a5e-8f3c-7c21-9d4e-5a6b7c8d9e0f"
)

// changes are each a piece of the agreeing module, what takes its place, and what the lint then finds.
var changes = []struct {
	name, old, new string
	found          []string
}{
	// The tables by themselves.
	{"no table", "| part | shape |", "| part | form |",
		[]string{onPage + "1: there is no table with the columns part, shape"}},
	{"too few cells", "| uuid |", "|", []string{onPage + "10: the row has 1 cells and its header 2"}},
	{"empty cell", "| all | session |", "| | session |", []string{onPage + "5: a cell is empty"}},
	{"no backquotes", "| ^sweep^ |", "| sweep |", []string{onPage + "4: put sweep in backquotes"}},
	{"no reference", "^internal/db/db.go:Migrate^", "^Migrate^", []string{onPage + "5: `Migrate` is no reference"}},
	{"unknown shape", "| uuid |", "| number |", []string{onPage + `10: the shape "number" isn't known`}},
	{"unknown key", "^4711^", "^4711x^", []string{onPage + `4: the key "4711x" isn't known`}},
	{"unknown kind of a lock", "session, try", "session, maybe",
		[]string{onPage + `4: the kind "session, maybe" isn't known`}},
	{"unknown kind of a statement", "^ | mention |", "^ | named |",
		[]string{onPage + `20: the kind "named" isn't known`}},
	{"unknown part", "| ^{order}^ |", "| ^{id}^ |", []string{
		onPage + "3: {order} is not in the table of parts", onPage + "14: " + example + " must be a name of",
	}},
	{"one name of two locks", "| ^check^ |", "| ^sweep^ |",
		[]string{onPage + "6: the name sweep is also that of line 4"}},
	{"one number of two locks", "| ^check^ | ^random^ |", "| ^check^ | ^77^ |", []string{
		onPage + "6: the key 77 needs a constructor", onPage + "6: the number 77 is also that of line 5",
	}},

	// Constructors and numbers.
	{"constructor renamed", "func Order(", "func Orders(", []string{
		inLock + "8: Orders makes keys and is no constructor",
		onPage + "3: internal/lock/lock.go:Order isn't there: correct the row, or",
	}},
	{"constructor in another file", "^internal/lock/lock.go:Sweep^", "^internal/lock/sweep.go:Sweep^", []string{
		inLock + "4: Sweep is the number of a lock and isn't listed",
		onPage + "4: internal/lock/sweep.go:Sweep isn't there, but internal/lock/lock.go:Sweep is: correct the row",
	}},
	{"constructor that doesn't hash", "Set{keyOf(\"order:\" + id)}", "Set{order(id)}", []string{
		onPage + "3: internal/lock/lock.go:Order doesn't hash a name",
	}},
	{"constructor that isn't listed", "func keyOf(",
		"func (t Tenant) Seat() Key { return keyOf(t.seat) }\n\nfunc keyOf(", []string{
			inLock + "10: Tenant.Seat makes keys",
		}},
	{"key made by hand", "func keyOf(", "func Seat() Key { return Key{id: 5} }\n\nfunc keyOf(",
		[]string{inLock + "10: Seat makes keys"}},
	{"no constructor", "^internal/lock/lock.go:Migrator^", "–", []string{
		inLock + "5: Migrator is the number of a lock", onPage + "5: the key 77 needs a constructor",
	}},
	{"constructor of a random key", "wait or try | –", "wait or try | ^internal/lock/lock.go:Sweep^", []string{
		onPage + "6: a random key has no constructor",
	}},
	{"constructor that is no number", "^internal/lock/lock.go:Migrator^", "^internal/db/db.go:Migrate^", []string{
		inLock + "5: Migrator is the number of a lock",
		onPage + "5: internal/db/db.go:Migrate is no constant of the type Global",
	}},
	{"another number", "^4711^", "^4712^", []string{onPage + "4: the number of Sweep is 4711 and the row says 4712"}},
	{"number that isn't listed", "Sweep    Global", "Vacuum = Global(-5)\n\tSweep    Global", []string{
		inLock + "4: Vacuum is the number of a lock",
	}},
	{"number that can't be read", "Global = 4711", "Global = 4700 + 11",
		[]string{inLock + "4: the number of Sweep can't be read"}},

	// Examples.
	{"no example", "| ^Order^ | ^order:", "| ^Other^ | ^order:", []string{
		onPage + "3: order:{order} has no example", onPage + "14: Other is the constructor of no hashed name",
	}},
	{"wrong hash", "^b1d6abeb918244e3^", "^b1d6abeb918244e4^", []string{onPage + "14: the hash is b1d6abeb918244e3"}},
	{"wrong bigint", "^-5632125255733328669^", "^5632125255733328669^",
		[]string{onPage + "14: the bigint is -5632125255733328669"}},
	{"example that is another lock's name too",
		"| ^check^ | ^random^ | all | transaction, then session, wait or try | – |",
		"| ^" + example + "^ | ^fnv1a64(name)^ | all | transaction | ^internal/lock/lock.go:Order^ |", []string{
			onPage + "14: " + example + " must be a name of order:{order} and of no other lock, but compare " + example,
			inDB + "9: DB.Pay takes the lock", onPage + "6: internal/db/db.go:watch neither is given keys of Order",
		}},

	// Takers.
	{"taker that is gone", migrate, "func Upgrade() {}", []string{onPage + "5: internal/db/db.go:Migrate isn't there"}},
	{"taker that takes another lock", "^internal/db/db.go:DB.Pay^", "^internal/db/db.go:DB.Sweep^", []string{
		inDB + `9: DB.Pay takes the lock order:{order}: add it to "taken by"`,
		onPage + "3: internal/db/db.go:DB.Sweep neither is given keys of Order nor makes them",
	}},
	{"taker that isn't listed", "^internal/db/db.go:DB.Sweep^ | sweep", "reserved | sweep", []string{
		inDB + "15: DB.Sweep takes the lock sweep",
	}},
	{"taker that makes the keys", migrate, "func migrate() { locks.Order(id) }\n\n" + migrate, []string{
		inDB + "17: migrate takes the lock order:{order}",
	}},
	{"keys of any kind", migrate, "func Migrate(keys ...locks.Set) {}",
		[]string{inDB + "17: Migrate takes keys of any kind"}},
	{"keys made below the door", "-- internal/db/db_test.go --",
		"-- internal/db/internal/core/db.go --\npackage core\n\nimport \"example/internal/lock\"\n\n" +
			"func (d *DB) Begin(keys lock.Set) {}\n\nfunc (d *DB) Pay() { d.Begin(lock.Order(id)) }\n" +
			"-- internal/db/db_test.go --", []string{
			"internal/db/internal/core/db.go:7: DB.Pay takes the lock order:{order}",
		}},
	{"number made by hand", migrate, "func Migrate() { s.lock(locks.Global(5)) }",
		[]string{inDB + "17: Migrate makes a lock's number"}},

	// Statements.
	{"statement listed twice", "^sql/queries/locks.sql:IsThere^", "^internal/db/db.go:watch^", []string{
		inSQL + "11: pg_advisory_xact_lock is named here", onPage + "21: internal/db/db.go:watch is listed twice",
	}},
	{"statement that isn't listed", "\n-- name: Is",
		"\n-- name: Both :exec\nSELECT 1,\n  PG_Advisory_Lock(1);\n\n-- name: Is", []string{
			inSQL + "12: pg_advisory_lock is named here: take locks by the statements that " +
				"docs/locks-registry.md lists, or list `sql/queries/locks.sql:Both` there",
		}},
	{"statement outside of a query", "-- No statement", "SELECT '--', pg_advisory_lock(1); -- No statement", []string{
		inSQL + "1: pg_advisory_lock is named outside of a query",
	}},
	{"text put together in Go", migrate,
		`func Migrate() { run("SELECT pg_try_" + ("advisory_" + kind + "lock(") + key + ")") }`, []string{
			inDB + "17: pg_try_advisory_lock is named here",
		}},
	{"text in a variable", migrate, migrate + "\n\nvar sql, more = ^SELECT\npg_advisory_unlock_all()^, 1", []string{
		inDB + "20: pg_advisory_unlock_all is named here",
	}},
	{"statement that is gone", "-- name: TrySweep :one", "-- name: Try :one", []string{
		onPage + "19: sql/queries/locks.sql:TrySweep doesn't name pg_try_advisory_lock",
		inSQL + "8: pg_try_advisory_lock is named here",
	}},
	{"statement of another kind", "_lock^ | session |", "_lock^ | release |", []string{
		onPage + "19: pg_try_advisory_lock is of the kind session and the row says release",
	}},
	{"text that becomes a call", "lock($\")", "lock($1)\")", []string{
		onPage + "21: pg_advisory_xact_lock is of the kind transaction and the row says mention",
	}},
	{"statement that does more", "AS locked;", "AS locked, 1;",
		[]string{inSQL + "8: the statement of pg_try_advisory_lock does more"}},
	{"lock for several rows", " WHERE t.tenant_id = sqlc.arg(tenant_id)", "", []string{
		inSQL + "4: the statement of pg_advisory_xact_lock does more",
	}},
	{"key made in SQL", "sqlc.arg(key)::bigint) AS", "hashtext('sweep')) AS", []string{
		inSQL + "8: the statement of pg_try_advisory_lock does more",
	}},

	// Callers.
	{"caller that isn't listed", migrate, "func Migrate() { s.LockOrder(key) }", []string{
		inDB + "17: LockOrder is called here: add internal/db/db.go:Migrate to \"called by\"",
	}},
	{"caller that doesn't call", "s.LockOrder(", "s.lockOrder(",
		[]string{onPage + "18: internal/db/db.go:DB.begin doesn't call"}},
	{"number written out", "s.LockOrder(keys.ID())", "s.LockOrder(int64(815))",
		[]string{inDB + "11: the lock's number is written out"}},

	// Libraries.
	{"library that isn't listed", "| ^example.com/migrator^ | ^migrator^ |", "", []string{
		"go.mod:1: example.com/migrator names lock functions: list it",
		onPage + "5: internal/db/db.go:Migrate neither is given keys of Migrator",
	}},
	{"library that isn't built in", "| ^example.com/migrator^", "| ^example.com/other^ | – |\n| ^example.com/migrator^",
		[]string{
			onPage + "26: example.com/other isn't built in",
		}},
	{"library whose lock isn't listed", "^ | ^migrator^ |", "^ | ^migration^ |", []string{
		onPage + "5: internal/db/db.go:Migrate neither is given keys of Migrator",
		onPage + "26: there is no lock migration",
	}},
	{"library with another number", "DefaultLockID int64 = 77", "DefaultLockID int64 = 78", []string{
		onPage + "5: example.com/migrator declares the numbers [78] and the row says 77",
	}},
	{"library whose number can't be found", "DefaultLockID int64", "DefaultLock int64", []string{
		onPage + "5: example.com/migrator declares the numbers [] and the row says 77",
	}},
}

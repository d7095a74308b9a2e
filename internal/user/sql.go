package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/user/internal/rowsql"
)

// The statements of users need no advisory lock. A change that depends on who a tenant's users are locks the tenant's
// row.
var unlocked = db.UnderNothing(rowsql.New)

// changing says in errors what the transactions here do.
const changing = "change the tenant's data"

type (
	userRow = rowsql.User
	// signInRow is a browser's sign-in, with its user and the tenant.
	signInRow = rowsql.SignInGetRow
)

// listUsers lists a tenant's users by id, without those who were removed. Errors: problem.DatabaseUnavailable.
func listUsers(ctx context.Context, d *db.DB, tenant, after uuid.UUID, limit int) ([]userRow, error) {
	return db.ReadOne(ctx, d, unlocked, "list users", tenant, func(tx *db.Tx, q *rowsql.Queries) ([]userRow, error) {
		return q.UserList(tx.Context(),
			rowsql.UserListParams{TenantID: tx.Tenant(), After: after, RowLimit: int32(limit)})
	})
}

// readUser returns a user, also one who was removed. Errors: problem.NotFound, problem.DatabaseUnavailable.
func readUser(ctx context.Context, d *db.DB, tenant, id uuid.UUID) (userRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a user", tenant, func(tx *db.Tx, q *rowsql.Queries) (userRow, error) {
		return q.UserGet(tx.Context(), tx.Tenant(), id)
	})
}

// readByEmail returns the user who has an email and wasn't removed. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func readByEmail(ctx context.Context, d *db.DB, tenant uuid.UUID, email string) (userRow, error) {
	return db.ReadOne(ctx, d, unlocked, "read a user", tenant, func(tx *db.Tx, q *rowsql.Queries) (userRow, error) {
		return q.UserGetByEmail(tx.Context(), tx.Tenant(), email)
	})
}

// readSignIn returns the sign-in of a browser's secret that has not ended. It costs one round trip and takes no lock.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func readSignIn(ctx context.Context, d *db.DB, browser secret) (signInRow, error) {
	hash := browser.hash()
	return db.ReadOne(ctx, d, unlocked, "read a sign-in", browser.tenant(),
		func(tx *db.Tx, q *rowsql.Queries) (signInRow, error) {
			return q.SignInGet(tx.Context(), tx.Tenant(), hash[:])
		})
}

// readLinked returns whom a link signs in that works still, and uses nothing up. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func readLinked(ctx context.Context, d *db.DB, link secret) (userRow, error) {
	hash := link.hash()
	return db.ReadOne(ctx, d, unlocked, "read a sign-in link", link.tenant(),
		func(tx *db.Tx, q *rowsql.Queries) (userRow, error) {
			return q.SignInLinkGet(tx.Context(), tx.Tenant(), hash[:])
		})
}

// lockedUsers is the state of a tenant's users before a change of them.
type lockedUsers struct {
	// user is the user who is changed, also one who was removed; nil if there is none of that id.
	user *userRow
	// counts are how many users there are, how many of them, besides the one who is changed, are owners, and how many
	// were made since the time that was asked for, also those who were removed.
	counts rowsql.UserCountsRow
	links  int32 // how many sign-in links the user got since that time
}

// queueUsers queues the lock of the tenant's row, and the reading of the state of its users. id is the user who is
// changed, uuid.Nil for a new one. The user's sign-in links, and whom the tenant invited, are counted from since on.
func queueUsers(tx *db.WriteTx, id uuid.UUID, since time.Time, users *lockedUsers) {
	tenant.Lock(tx)
	db.Optional(unlocked.On(tx), "read the user", &users.user, func(q *rowsql.Queries) (userRow, error) {
		return q.UserGet(tx.Context(), tx.Tenant(), id)
	})
	db.Query(unlocked.On(tx), "count the users", &users.counts, func(q *rowsql.Queries) (rowsql.UserCountsRow, error) {
		return q.UserCounts(tx.Context(), rowsql.UserCountsParams{TenantID: tx.Tenant(), UserID: id, Since: since})
	})
	db.Query(unlocked.On(tx), "count the sign-in links", &users.links, func(q *rowsql.Queries) (int32, error) {
		return q.SignInLinkCount(tx.Context(),
			rowsql.SignInLinkCountParams{TenantID: tx.Tenant(), UserID: id, Since: since})
	})
}

var emailTaken = db.Failure{State: db.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "Another user has this email.")
}}

// queueNew queues a new user. Another user may have the email: the transaction then returns problem.AlreadyExists.
func queueNew(tx *db.WriteTx, u User) {
	db.Exec(unlocked.On(tx), "insert the user", func(q *rowsql.Queries) error {
		return q.UserInsert(tx.Context(), rowsql.UserInsertParams{
			TenantID: tx.Tenant(), UserID: u.ID, Email: u.Email, Name: u.Name, Role: string(u.Role),
			CreatedAt: tx.Now(),
		})
	}, emailTaken)
}

// queueChange queues the user who was read, with its next version. Another user may have the email: the transaction
// then returns problem.AlreadyExists.
func queueChange(tx *db.WriteTx, u userRow) {
	db.Exec(unlocked.On(tx), "update the user", func(q *rowsql.Queries) error {
		return q.UserUpdate(tx.Context(), rowsql.UserUpdateParams{
			TenantID: tx.Tenant(), UserID: u.UserID, Email: u.Email, Name: u.Name, Role: u.Role, RemovedAt: u.RemovedAt,
		})
	}, emailTaken)
}

// queueEnds queues the end of all sign-ins of a user, and of all links.
func queueEnds(tx *db.WriteTx, user uuid.UUID) {
	db.Exec(unlocked.On(tx), "delete the user's sign-in links", func(q *rowsql.Queries) error {
		return q.SignInLinkDeleteByUser(tx.Context(), tx.Tenant(), user)
	})
	db.Exec(unlocked.On(tx), "delete the user's sign-ins", func(q *rowsql.Queries) error {
		return q.SignInDeleteByUser(tx.Context(), tx.Tenant(), user)
	})
}

// queueLink queues a link that signs a user in, once and until expires. The tenant's links that have expired are
// deleted.
func queueLink(tx *db.WriteTx, link secret, user uuid.UUID, expires time.Time) {
	hash := link.hash()
	db.Exec(unlocked.On(tx), "delete expired sign-in links", func(q *rowsql.Queries) error {
		return q.SignInLinkDeleteExpired(tx.Context(), tx.Tenant(), tx.Now())
	})
	db.Exec(unlocked.On(tx), "insert the sign-in link", func(q *rowsql.Queries) error {
		return q.SignInLinkInsert(tx.Context(), rowsql.SignInLinkInsertParams{
			TenantID: tx.Tenant(), Hash: hash[:], UserID: user, CreatedAt: tx.Now(), ExpiresAt: expires,
		})
	})
}

// queueUseOfLink queues that a link is used up, and the reading of whom it signs in: nil for one that doesn't work, or
// not any more.
func queueUseOfLink(tx *db.WriteTx, link secret, linked **userRow) {
	hash := link.hash()
	db.Optional(unlocked.On(tx), "use up the sign-in link", linked, func(q *rowsql.Queries) (userRow, error) {
		return q.SignInLinkUse(tx.Context(), tx.Tenant(), hash[:])
	})
}

// queueSignIn queues a sign-in of a user. The tenant's sign-ins that have ended are deleted.
func queueSignIn(tx *db.WriteTx, browser secret, user uuid.UUID, expires time.Time) {
	hash := browser.hash()
	db.Exec(unlocked.On(tx), "delete ended sign-ins", func(q *rowsql.Queries) error {
		return q.SignInDeleteExpired(tx.Context(), tx.Tenant(), tx.Now())
	})
	db.Exec(unlocked.On(tx), "insert the sign-in", func(q *rowsql.Queries) error {
		return q.SignInInsert(tx.Context(), rowsql.SignInInsertParams{
			TenantID: tx.Tenant(), Hash: hash[:], UserID: user, CreatedAt: tx.Now(), ExpiresAt: expires,
		})
	})
}

// queueSignOut queues the end of a sign-in.
func queueSignOut(tx *db.WriteTx, h hash) {
	db.Exec(unlocked.On(tx), "delete the sign-in", func(q *rowsql.Queries) error {
		return q.SignInDelete(tx.Context(), tx.Tenant(), h[:])
	})
}

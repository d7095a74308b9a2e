package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

type (
	// User is a person of a tenant who signs in.
	User = dbsqlc.User
	// SignIn is a browser's sign-in, with its user and the tenant.
	SignIn = dbsqlc.SignInGetRow
)

// Hash is the SHA-256 of a secret that isn't stored.
type Hash [32]byte

// Users lists a tenant's users by id, without those who were removed. Errors: problem.DatabaseUnavailable.
func (s *Store) Users(ctx context.Context, tenant uuid.UUID, page Page) ([]User, error) {
	return core.ReadOne(ctx, s.db, "list users", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]User, error) {
		return q.UserList(ctx, dbsqlc.UserListParams{TenantID: tenant, After: page.After, RowLimit: int32(page.Limit)})
	})
}

// User returns a user, also one who was removed. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) User(ctx context.Context, tenant, id uuid.UUID) (User, error) {
	return readByKey(ctx, s, "read a user", tenant, id, (*dbsqlc.Queries).UserGet)
}

// UserWithEmail returns the user who has an email and wasn't removed. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) UserWithEmail(ctx context.Context, tenant uuid.UUID, email string) (User, error) {
	return readByKey(ctx, s, "read a user", tenant, email, (*dbsqlc.Queries).UserGetByEmail)
}

// UserNames returns the names of users, also of those who were removed, by their ids. Errors: problem.DatabaseUnavailable.
func (s *Store) UserNames(ctx context.Context, tenant uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := core.ReadOne(ctx, s.db, "read the names of users", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]dbsqlc.UserNamesRow, error) {
			return q.UserNames(ctx, tenant, ids)
		})
	names := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		names[row.UserID] = row.Name
	}
	return names, err
}

// SignIn returns the sign-in of a hash that has not ended. It costs one round trip and takes no lock. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) SignIn(ctx context.Context, tenant uuid.UUID, hash Hash) (SignIn, error) {
	return readByKey(ctx, s, "read a sign-in", tenant, hash[:], (*dbsqlc.Queries).SignInGet)
}

// SignInLinkUser returns whom a link signs in that works still, and uses nothing up. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) SignInLinkUser(ctx context.Context, tenant uuid.UUID, hash Hash) (User, error) {
	return readByKey(ctx, s, "read a sign-in link", tenant, hash[:], (*dbsqlc.Queries).SignInLinkGet)
}

// UsersRead says what to read of a tenant's users before a change of them. It keeps other transactions from changing them.
type UsersRead struct {
	// ID is the user who is changed, uuid.Nil for a new one.
	ID uuid.UUID
	// Since is from when on the user's sign-in links are counted, and whom the tenant invited.
	Since time.Time
}

// UsersState is the state of a tenant's users before a change of them.
type UsersState struct {
	// User is the user who is changed, also one who was removed; nil if there is none of that id.
	User *User
	// Users is how many there are. OtherOwners is how many of them, besides the one who is changed, are owners.
	Users, OtherOwners int
	// Links is how many sign-in links the user got since the time that was asked for, Invited how many users were made since then, also
	// those who were removed.
	Links, Invited int
}

// queueUsersRead queues the lock of a tenant's users, and the reading of their state.
func (tx *WriteTx) queueUsersRead(read UsersRead, st *UsersState) {
	t := tx.t
	core.Exec(t, "lock the users", func(q *dbsqlc.Queries) error { return q.SettingsLock(t.Ctx, tx.tenant) })
	core.Optional(t, "read the user", &st.User, func(q *dbsqlc.Queries) (User, error) { return q.UserGet(t.Ctx, tx.tenant, read.ID) })
	core.Query(t, "count the users", new(dbsqlc.UserCountsRow), func(q *dbsqlc.Queries) (dbsqlc.UserCountsRow, error) {
		row, err := q.UserCounts(t.Ctx, dbsqlc.UserCountsParams{TenantID: tx.tenant, UserID: read.ID, Since: read.Since})
		st.Users, st.OtherOwners, st.Invited = int(row.Users), int(row.OtherOwners), int(row.Invited)
		return row, err
	})
	core.Query(t, "count the sign-in links", new(int32), func(q *dbsqlc.Queries) (int32, error) {
		n, err := q.SignInLinkCount(t.Ctx, dbsqlc.SignInLinkCountParams{TenantID: tx.tenant, UserID: read.ID, Since: read.Since})
		st.Links = int(n)
		return n, err
	})
}

var userEmailTaken = core.Failure{State: core.UniqueViolation, Means: func(cause error) error {
	return problem.Wrap(cause, problem.AlreadyExists, "Another user has this email.")
}}

// InsertUser queues a new user. Another user may have the email: Write then returns problem.AlreadyExists.
func (tx *WriteTx) InsertUser(u User) {
	core.Exec(tx.t, "insert the user", func(q *dbsqlc.Queries) error {
		return q.UserInsert(tx.t.Ctx, dbsqlc.UserInsertParams{
			TenantID: tx.tenant, UserID: u.UserID, Email: u.Email, Name: u.Name, Role: u.Role, CreatedAt: tx.t.Now,
		})
	}, userEmailTaken)
}

// UpdateUser queues the user who was read, with its next version. Another user may have the email: Write then returns
// problem.AlreadyExists.
func (tx *WriteTx) UpdateUser(u User) {
	core.Exec(tx.t, "update the user", func(q *dbsqlc.Queries) error {
		return q.UserUpdate(tx.t.Ctx, dbsqlc.UserUpdateParams{
			TenantID: tx.tenant, UserID: u.UserID, Email: u.Email, Name: u.Name, Role: u.Role, RemovedAt: u.RemovedAt,
		})
	}, userEmailTaken)
}

// EndSignIns queues the end of all sign-ins of a user, and of all links.
func (tx *WriteTx) EndSignIns(user uuid.UUID) {
	core.Exec(tx.t, "delete the user's sign-in links", func(q *dbsqlc.Queries) error {
		return q.SignInLinkDeleteByUser(tx.t.Ctx, tx.tenant, user)
	})
	core.Exec(tx.t, "delete the user's sign-ins", func(q *dbsqlc.Queries) error {
		return q.SignInDeleteByUser(tx.t.Ctx, tx.tenant, user)
	})
}

// InsertSignInLink queues a link that signs a user in, once and until expires. The tenant's links that have expired are deleted.
func (tx *WriteTx) InsertSignInLink(hash Hash, user uuid.UUID, expires time.Time) {
	core.Exec(tx.t, "delete expired sign-in links", func(q *dbsqlc.Queries) error {
		return q.SignInLinkDeleteExpired(tx.t.Ctx, tx.tenant, tx.t.Now)
	})
	core.Exec(tx.t, "insert the sign-in link", func(q *dbsqlc.Queries) error {
		return q.SignInLinkInsert(tx.t.Ctx, dbsqlc.SignInLinkInsertParams{
			TenantID: tx.tenant, Hash: hash[:], UserID: user, CreatedAt: tx.t.Now, ExpiresAt: expires,
		})
	})
}

// InsertSignIn queues a sign-in of a user. The tenant's sign-ins that have ended are deleted.
func (tx *WriteTx) InsertSignIn(hash Hash, user uuid.UUID, expires time.Time) {
	core.Exec(tx.t, "delete ended sign-ins", func(q *dbsqlc.Queries) error {
		return q.SignInDeleteExpired(tx.t.Ctx, tx.tenant, tx.t.Now)
	})
	core.Exec(tx.t, "insert the sign-in", func(q *dbsqlc.Queries) error {
		return q.SignInInsert(tx.t.Ctx, dbsqlc.SignInInsertParams{
			TenantID: tx.tenant, Hash: hash[:], UserID: user, CreatedAt: tx.t.Now, ExpiresAt: expires,
		})
	})
}

// DeleteSignIn queues the end of a sign-in.
func (tx *WriteTx) DeleteSignIn(hash Hash) {
	core.Exec(tx.t, "delete the sign-in", func(q *dbsqlc.Queries) error { return q.SignInDelete(tx.t.Ctx, tx.tenant, hash[:]) })
}

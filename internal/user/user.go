package user

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/email"
	"holdfast/internal/etag"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Role is what a user may do.
type Role string

// The roles.
const (
	// RoleOwner may do all that an API key can do, and say who the users are.
	RoleOwner Role = "owner"
	// RoleStaff may book, change customers, and take and refund money.
	RoleStaff Role = "staff"
	// RoleRead may look at everything but API keys and users.
	RoleRead Role = "read"
)

// Roles returns all roles.
func Roles() []Role { return []Role{RoleOwner, RoleStaff, RoleRead} }

// Values returns the names of Roles.
func (Role) Values() []string {
	return []string{string(RoleOwner), string(RoleStaff), string(RoleRead)}
}

// Scopes returns the scopes of a role: each page of the console needs the scope that the same request of the API needs.
func (r Role) Scopes() tenant.Scopes {
	switch r {
	case RoleOwner:
		return tenant.AllScopes()
	case RoleStaff:
		return tenant.Scopes{
			operation.ScopeCatalog, operation.ScopeRead, operation.ScopeBook, operation.ScopeCustomers,
			operation.ScopeMoney,
		}
	case RoleRead:
		return tenant.Scopes{operation.ScopeCatalog, operation.ScopeRead}
	default:
		return nil
	}
}

// User is a person of a tenant who signs in.
type User struct {
	ID    uuid.UUID
	Email string
	Name  string
	Role  Role
	// Version grows with each change.
	Version int64
	// CreatedAt is UTC.
	CreatedAt time.Time
}

// ETag returns the entity tag of the user's version.
func (u User) ETag() string { return etag.Of(u.Version) }

func fromRow(row userRow) User {
	return User{
		ID: row.UserID, Email: row.Email, Name: row.Name, Role: Role(row.Role), Version: row.Version,
		CreatedAt: row.CreatedAt.UTC(),
	}
}

// check returns problem.ValidationFailed for what no user can be.
func (s UserSpec) check() error {
	if err := bounds.Check("", s); err != nil {
		return err
	}
	if err := (email.Address{Email: s.Email}).Check("email"); err != nil {
		return err
	}
	return problem.CheckText("name", s.Name)
}

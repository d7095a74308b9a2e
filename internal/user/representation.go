package user

import (
	"time"

	"github.com/google/uuid"
)

// UserSpec is what is said of a user.
type UserSpec struct {
	Email string `json:"email" minLength:"3" maxLength:"254" example:"ada@harbour-tours.example" doc:"Sign-in links are sent there. No two users of a tenant have the same."`
	Name  string `json:"name" minLength:"1" maxLength:"200" example:"Ada Lovelace" doc:"Histories name the person by it."`
	Role  Role   `json:"role" example:"staff" doc:"owner: everything. staff: bookings, customers, payments and refunds. read: look at it."`
}

// UserBody is a user as the API shows it.
type UserBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	UserSpec
	Version   int64     `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
	CreatedAt time.Time `json:"created_at"`
}

// Body returns the user as the API shows it.
func (u User) Body() UserBody {
	return UserBody{ID: u.ID, UserSpec: u.spec(), Version: u.Version, CreatedAt: u.CreatedAt}
}

func (u User) spec() UserSpec { return UserSpec{Email: u.Email, Name: u.Name, Role: u.Role} }

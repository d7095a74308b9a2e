package settings

import "holdfast/internal/timetable"

// VisitorLimits are the most that a visitor takes at once, on the booking page and with publishable API keys. Zero is
// no limit: the zero value limits nothing. What the tenant books itself has none. The struct is what the API shows and
// what is stored.
type VisitorLimits struct {
	timetable.Limits
	OpenHoldsPerEmail int `json:"open_holds_per_email,omitempty" minimum:"1" maximum:"100" example:"3" doc:"The most holds that visitors have open at a time with the email of one customer: neither confirmed, given back nor ended. Absent: any number."`
}

// AllowHold reports whether a visitor may open one more hold with an email with which so many others are open.
func (l VisitorLimits) AllowHold(open int) bool {
	return l.OpenHoldsPerEmail == 0 || open < l.OpenHoldsPerEmail
}

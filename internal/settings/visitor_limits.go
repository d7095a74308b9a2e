package settings

// VisitorLimits are the most that a visitor takes at once, on the booking page and with publishable API keys. Zero is
// no limit: the zero value limits nothing. What the tenant books itself has none. The struct is what the API shows and
// what is stored.
type VisitorLimits struct {
	Nights            int `json:"nights,omitempty" minimum:"1" maximum:"61" example:"14" doc:"The most nights of a stay, and the most days of a slot, of one hold. A day that has begun counts. Absent: as many as the service sells."`
	Units             int `json:"units,omitempty" minimum:"1" maximum:"1000" example:"4" doc:"The most units of one hold: its party_size. Absent: as many as there are."`
	OpenHoldsPerEmail int `json:"open_holds_per_email,omitempty" minimum:"1" maximum:"100" example:"3" doc:"The most holds that visitors have open at a time with the email of one customer: neither confirmed, given back nor ended. Absent: any number."`
}

// AllowNights reports whether a visitor may take so many nights or days.
func (l VisitorLimits) AllowNights(n int) bool { return l.Nights == 0 || n <= l.Nights }

// AllowUnits reports whether a visitor may take so many units.
func (l VisitorLimits) AllowUnits(n int) bool { return l.Units == 0 || n <= l.Units }

// AllowHold reports whether a visitor may open one more hold with an email with which so many others are open.
func (l VisitorLimits) AllowHold(open int) bool {
	return l.OpenHoldsPerEmail == 0 || open < l.OpenHoldsPerEmail
}

package timetable

// Limits are the most that one booking of a visitor takes. Zero is no limit: the zero value limits nothing.
type Limits struct {
	Nights int `json:"nights,omitempty" minimum:"1" maximum:"61" example:"14" doc:"The most nights of a stay, and the most days of a slot, of one hold. A day that has begun counts. Absent: as many as the service sells."`
	Units  int `json:"units,omitempty" minimum:"1" maximum:"1000" example:"4" doc:"The most units of one hold: its party_size. Absent: as many as there are."`
}

// AllowNights reports whether a visitor may take so many nights or days.
func (l Limits) AllowNights(n int) bool { return l.Nights == 0 || n <= l.Nights }

// AllowUnits reports whether a visitor may take so many units.
func (l Limits) AllowUnits(n int) bool { return l.Units == 0 || n <= l.Units }

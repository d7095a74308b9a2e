package frame

import (
	"net/http"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/console/form"
	"holdfast/internal/datetime"
	"holdfast/internal/operation"
	"holdfast/internal/web"
)

// catalogList is a list of services, resources, closures or blocks.
type catalogList struct {
	Tabs     []web.NavLink
	Title    string
	Path     string
	New      string // path of the page that makes one; empty for a role that may not
	Archived bool
	Columns  []string
	Rows     []catalogRow
	Next     string
}

// catalogRow is a thing in a list.
type catalogRow struct {
	Name, URL string
	Cells     []string
}

// EditPage is a page with a form.
type EditPage struct {
	Tabs    []web.NavLink
	Heading string
	Help    string
	Path    string // to which the form is sent
	Back    string
	Button  string
	Hidden  map[string]string
	Version string // empty for what is new
	Form    form.View
	Force   string // what a box says that does it although bookings stand in the way; empty without it
	// ReadOnly is for a role that may look at it alone.
	ReadOnly bool
	// Archive is the text on what archiving does, and Unarchive the label of the button that takes it back. One of them
	// is set for what can be archived.
	Archive, Unarchive string
	ForceBack          bool     // taking it back can be forced
	Times              []string // of a block that repeats
	Misfits            []Misfit // bookings that stand in it
	More               bool
	Beside             bool // its forms lead back to the page beside which it is shown, and not to that of the thing
	BackBeside         bool // Back leads to the page of the thing, beside as well
}

// Archiving adds what archives the thing of the page, or takes it back.
func (p *EditPage) Archiving(v *Visit, archived bool, does, takeBack string) {
	p.ReadOnly = !v.May(operation.ScopeAdmin)
	if archived {
		p.Unarchive = takeBack
	} else {
		p.Archive = does
	}
}

// ArchivePage asks whether something is archived.
type ArchivePage struct {
	Tabs       []web.NavLink
	Name, What string
	Path, Back string
	Version    int64
	Does       string // what archiving does
	Stand      []BookingRow
	Forceable  bool
}

// maxStanding is how many of the bookings that aren't over are looked at, and maxStandingShown how many are shown.
const (
	maxStanding      = 500
	maxStandingShown = 50
)

// standing returns bookings that a filter finds and that aren't over.
func (c *Console) standing(v *Visit, f booking.Filter) ([]BookingRow, error) {
	now := time.Now()
	today := datetime.DateOf(now, v.Tenant().Location)
	f.From, f.Limit = &today, maxStanding
	list, err := c.Bookings.List(v.Context(), v.Tenant(), f)
	if err != nil {
		return nil, err
	}
	var stand []booking.Booking
	for _, b := range list {
		lasts := b.Status == booking.Confirmed || b.Status == booking.Held && b.HoldExpiresAt.After(now)
		if lasts && b.EndsAt.After(now) && len(stand) < maxStandingShown {
			stand = append(stand, b)
		}
	}
	return c.Rows(v, stand)
}

// RenderEdit shows a form.
func (c *Console) RenderEdit(v *Visit, page EditPage) error {
	if page.Tabs == nil {
		page.Tabs = v.Tabs("services")
	}
	return c.Render(v, http.StatusOK, "edit", page.Heading, page)
}

// SecretPage shows a secret, this once.
type SecretPage struct {
	Tabs          []web.NavLink
	Heading, Name string
	Label         string // of the secret; Secret if empty
	Secret        string // empty if the form was sent again
	Lost, Back    string
	Note          string
}

package bookings

import (
	"embed"
	"encoding/json"
	"net/http"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web/asset"
)

const (
	// maxCalendarDays is how many days the calendar asks for at most: a month with the weeks around it.
	maxCalendarDays = 45
	// maxOnCalendar is how many bookings, and how many blocks, it shows.
	maxOnCalendar = 2000
	// costOfCalendar is the permits of a month of bookings.
	costOfCalendar = 4
)

//go:embed assets
var assetFiles embed.FS

// Assets are the style sheets and scripts of the calendar.
var Assets = asset.New(assetFiles, "assets", "/console-assets/", "calendar.css", "calendar.js",
	"event-calendar.min.css", "event-calendar.min.js")

// routeCalendar adds the calendar.
func (s section) routeCalendar() {
	s.Get("/calendar", frame.Need{Scope: booking.OpListBookings.Scope}, s.showCalendar)
	s.Get("/calendar/events", frame.Need{Scope: booking.OpListBookings.Scope, Cost: costOfCalendar}, s.showOnCalendar)
}

// calendarPage is the calendar. assets/calendar.js asks for what is on it.
type calendarPage struct {
	Path      string
	Date      string // that is shown first
	View      string
	Resources string // JSON for the script
	Now       string // local time of the tenant
	Zone      string
	MayBook   bool
	NewBlock  string // path of the form of a block; empty for a role that may make none
}

// Asset returns the URL of a style sheet or a script of the calendar.
func (calendarPage) Asset(name string) string { return Assets.URL(name) }

// calendarViews are those that the calendar has.
var calendarViews = []string{
	"timeGridDay", "timeGridWeek", "listWeek", "dayGridMonth", "listMonth", "resourceTimeGridDay",
	"resourceTimelineWeek",
}

// calendarResource is a resource as the script knows it.
type calendarResource struct {
	ID    uuid.UUID `json:"id"`
	Title string    `json:"title"`
}

func (s section) showCalendar(v *frame.Visit) error {
	resources, err := s.Catalog.Resources(v.Context(), v.Tenant(), catalog.ListQuery{Limit: frame.MaxCatalog})
	if err != nil {
		return err
	}
	shown := make([]calendarResource, len(resources))
	for i, r := range resources {
		shown[i] = calendarResource{r.ID, r.Name}
	}
	encoded, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	now := time.Now().In(v.Tenant().Location)
	page := calendarPage{
		Path:      v.Path("calendar"),
		Date:      civil.DateOf(now).String(),
		View:      "timeGridWeek",
		Resources: string(encoded),
		Now:       now.Format(localFormat),
		Zone:      v.Tenant().Location.String(),
		MayBook:   v.May(operation.ScopeBook),
	}
	if v.May(operation.ScopeAdmin) {
		page.NewBlock = v.Path("blocks", "new")
	}
	if d, err := frame.DateOf(v.Query, "date"); err == nil && d != nil {
		page.Date = d.String()
	}
	for _, view := range calendarViews {
		if v.Query.Get("view") == view {
			page.View = view
		}
	}
	return s.Render(v, http.StatusOK, "calendar", "Calendar", page)
}

// localFormat is a time of the tenant's clocks. The calendar knows no time zones: it shows and gives back what clocks
// show there.
const localFormat = "2006-01-02T15:04:05"

// calendarEvent is a booking or a block as the script shows it.
type calendarEvent struct {
	ID          string      `json:"id"`
	Start       string      `json:"start"`
	End         string      `json:"end"`
	AllDay      bool        `json:"allDay"`
	Title       string      `json:"title"`
	ResourceIDs []uuid.UUID `json:"resourceIds"`
	ClassNames  []string    `json:"classNames"`
	Movable     bool        `json:"startEditable"`
	Resizable   bool        `json:"durationEditable"`
	Extended    shownBeside `json:"extendedProps"`
}

// shownBeside leads to what is shown beside the calendar when an event is clicked, and to the page that moves it.
type shownBeside struct {
	URL  string `json:"url"`
	Move string `json:"move,omitempty"`
	Kind string `json:"kind,omitempty"` // of the booking's service
}

// showOnCalendar answers with the bookings and blocks of some days, as JSON.
func (s section) showOnCalendar(v *frame.Visit) error {
	from, to, err := calendarDays(v)
	if err != nil {
		return err
	}
	services, _, known, err := s.CatalogOf(v)
	if err != nil {
		return err
	}
	kinds := make(map[uuid.UUID]catalog.BookableService, len(services))
	for _, svc := range services {
		kinds[svc.ID] = svc
	}
	bookings, err := s.Bookings.List(v.Context(), v.Tenant(),
		booking.Filter{From: &from, To: &to, Limit: maxOnCalendar})
	if err != nil {
		return err
	}
	events := []calendarEvent{}
	for _, b := range bookings {
		if b.Status == booking.Cancelled || b.Status == booking.Expired {
			continue
		}
		if err := s.AddService(v, known, b.ServiceID); err != nil {
			return err
		}
		events = append(events, s.bookingOnCalendar(v, b, kinds[b.ServiceID], known))
	}
	blocks, err := s.Catalog.Blocks(v.Context(), v.Tenant(),
		catalog.BlockQuery{From: &from, To: &to, Limit: maxOnCalendar})
	if err != nil {
		return err
	}
	for _, b := range blocks {
		events = append(events, blockOnCalendar(v, b)...)
	}
	if len(bookings) == maxOnCalendar || len(blocks) == maxOnCalendar {
		events = append(events, calendarEvent{
			ID:         "more",
			AllDay:     true,
			Start:      from.String(),
			End:        to.AddDays(1).String(),
			ClassNames: []string{"block"},
			Title:      "There is more than is shown here: look at fewer days",
			Extended:   shownBeside{URL: v.Path("bookings")},
		})
	}
	v.SetHeaders()
	v.C.JSON(http.StatusOK, events)
	return nil
}

// calendarDays returns the days that the script asks for, both included. Errors: problem.ValidationFailed.
func calendarDays(v *frame.Visit) (from, to civil.Date, err error) {
	for name, d := range map[string]*civil.Date{"start": &from, "end": &to} {
		text := v.Query.Get(name)
		if len(text) > len("2006-01-02") {
			text = text[:len("2006-01-02")]
		}
		if *d, err = datetime.ParseDate(name, text); err != nil {
			return from, to, err
		}
	}
	if n := to.DaysSince(from); n < 0 || n > maxCalendarDays {
		return from, to, problem.Invalid("end", "too_large", "Expected at most 45 days.")
	}
	return from, to, nil
}

func (s section) bookingOnCalendar(v *frame.Visit, b booking.Booking, svc catalog.BookableService, known frame.Names,
) calendarEvent {
	start, end := b.StartsAt.In(b.Location), b.EndsAt.In(b.Location)
	title := known[b.ServiceID]
	if b.HasCustomer() {
		title = b.Customer.Name + " · " + title
	}
	if b.PartySize > 1 {
		title += " · " + frame.People(b.PartySize)
	}
	begun := !b.StartsAt.After(time.Now())
	movable := v.May(operation.ScopeBook) && (b.Status == booking.Confirmed || b.Status == booking.Held) && !begun
	e := calendarEvent{
		ID:          b.ID.String(),
		Title:       title,
		ResourceIDs: b.ResourceIDs(),
		ClassNames:  []string{string(b.Status), "timed"},
		Movable:     movable,
		Resizable:   movable && (svc.Kind == timetable.KindStay || svc.Kind == timetable.KindSlot && svc.Vary()),
		Extended: shownBeside{
			URL: v.BookingPath(b.ID), Move: v.BookingPath(b.ID, "move"), Kind: string(svc.Kind),
		},
		Start: start.Format(localFormat),
		End:   drawnEnd(start, end),
	}
	if b.WholeDates() || b.Nights > 0 {
		e.AllDay, e.ClassNames = true, []string{string(b.Status)}
		last := civil.DateOf(end)
		if b.Nights > 0 { // the check-out date is one of its days, so that two stays that follow each other share it
			last = last.AddDays(1)
		}
		e.Start, e.End = b.Date.String(), last.String()
	}
	return e
}

// drawnEnd returns the end of an event as clocks show it, but never before its beginning: in the hour that is repeated
// it is drawn as long as it lasts.
func drawnEnd(start, end time.Time) string {
	from, until := start.Format(localFormat), end.Format(localFormat)
	if until > from {
		return until
	}
	return civil.DateTimeOf(start).In(time.UTC).Add(end.Sub(start)).Format(localFormat)
}

func blockOnCalendar(v *frame.Visit, b catalog.Block) (events []calendarEvent) {
	title := "Blocked"
	if b.Reason != "" {
		title += ": " + b.Reason
	}
	loc := v.Tenant().Location
	for _, at := range b.Times {
		start, end := at.StartsAt.In(loc), at.EndsAt.In(loc)
		e := calendarEvent{
			ID:          b.ID.String() + at.StartsAt.Format(time.RFC3339),
			Title:       title,
			ResourceIDs: []uuid.UUID{b.ResourceID},
			ClassNames:  []string{"block"},
			Start:       start.Format(localFormat),
			End:         drawnEnd(start, end),
			Extended:    shownBeside{URL: v.Path("blocks", b.ID.String())},
		}
		if b.From != nil {
			e.AllDay, e.Start, e.End = true, civil.DateOf(start).String(), civil.DateOf(end).String()
		}
		events = append(events, e)
	}
	return events
}

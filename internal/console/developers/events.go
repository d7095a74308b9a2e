package developers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// routeEvents adds the pages of scheduled events.
func (s section) routeEvents() {
	s.Get("/scheduled-events", frame.Need{Scope: operation.ScopeAdmin, Cost: frame.CostOfList}, s.showEvents)
	s.Get("/scheduled-events/:id", frame.Need{Scope: operation.ScopeAdmin}, s.showEvent)
	s.Form("/scheduled-events/:id/:change", event.OpReplayScheduledEvent, s.showEvent, 1, s.changeEvent)
}

// eventStatuses are the statuses of scheduled events.
var eventStatuses = []event.Status{event.Pending, event.Processing, event.Completed, event.Failed, event.Dead,
	event.Cancelled}

// eventsPage are scheduled events.
type eventsPage struct {
	Tabs     []web.NavLink
	Path     string
	Kinds    []string
	Statuses []event.Status
	Kind     string
	Status   string
	Subject  string
	Rows     []eventRow
	Next     string
}

type eventRow struct {
	event.Scheduled

	URL string
	Due string
}

func rowOfEvent(v *frame.Visit, e event.Scheduled) eventRow {
	return eventRow{e, v.Path("scheduled-events", e.ID.String()), frame.Moment(e.DueAt)}
}

func (s section) showEvents(v *frame.Visit) error {
	page := eventsPage{
		Tabs:     v.Tabs("api-keys"),
		Path:     v.Path("scheduled-events"),
		Kinds:    event.Kinds(),
		Statuses: eventStatuses,
		Kind:     v.Query.Get("kind"),
		Status:   v.Query.Get("status"),
		Subject:  strings.TrimSpace(v.Query.Get("subject")),
	}
	f, err := eventFilter(page, v.Query)
	if err != nil {
		return err
	}
	list, next, err := s.ScheduledEvents.List(v.Context(), v.Tenant().ID, f)
	if err != nil {
		return err
	}
	for _, e := range list {
		page.Rows = append(page.Rows, rowOfEvent(v, e))
	}
	if next != nil {
		query := v.C.Request.URL.Query()
		for name, value := range map[string]string{
			"due": strconv.FormatInt(next.DueAt.UnixMicro(), 10), "id": next.ID.String(), "after_kind": next.Kind,
			"occurrence": next.Occurrence,
		} {
			query.Set(name, value)
		}
		query.Del(web.FieldDone)
		page.Next = page.Path + "?" + query.Encode()
	}
	return s.Render(v, http.StatusOK, "events", "Scheduled events", page)
}

// eventFilter returns the filter that a query asks for. Errors: problem.ValidationFailed, problem.NotFound.
func eventFilter(page eventsPage, query url.Values) (f event.Filter, err error) {
	f = event.Filter{Limit: frame.PageSize}
	if page.Kind != "" {
		if !slices.Contains(page.Kinds, page.Kind) {
			return f, problem.Invalid("kind", "not_one_of", "Expected one of the kinds.")
		}
		f.Kind = &page.Kind
	}
	if page.Status != "" {
		status := event.Status(page.Status)
		if !slices.Contains(eventStatuses, status) {
			return f, problem.Invalid("status", "not_one_of", "Expected one of the states.")
		}
		f.Status = &status
	}
	if page.Subject != "" {
		id, err := uuid.Parse(page.Subject)
		if err != nil || id.String() != page.Subject {
			return f, problem.Invalid("subject", "invalid_format", "Expected the id of what events are about.")
		}
		f.Subject = &id
	}
	if !query.Has("due") {
		return f, nil
	}
	micros, err := strconv.ParseInt(query.Get("due"), 10, 64)
	after := event.Position{DueAt: time.UnixMicro(micros).UTC(), Kind: query.Get("after_kind"),
		Occurrence: query.Get("occurrence")}
	if err != nil || after.DueAt.Year() < 1 || after.DueAt.Year() > 9999 ||
		strings.ContainsRune(after.Kind+after.Occurrence, 0) ||
		strings.ToValidUTF8(after.Kind+after.Occurrence, "") != after.Kind+after.Occurrence {
		return f, problem.Missing()
	}
	if after.ID, err = web.ParseID(query.Get("id")); err != nil {
		return f, err
	}
	f.After = &after
	return f, nil
}

// eventPage is a scheduled event with its newest attempts.
type eventPage struct {
	eventRow

	Tabs      []web.NavLink
	About     string // path of what it is about; empty if it has no page
	MayCancel bool
	MayReplay bool
	Log       []eventAttempt
}

// eventAttempt is an attempt at an event.
type eventAttempt struct {
	Attempt int
	Status  event.Status
	Error   string
	Details string // JSON
	Started string
}

func (s section) showEvent(v *frame.Visit) error {
	id := v.ID("id")
	e, attempts, err := s.ScheduledEvents.Get(v.Context(), v.Tenant().ID, id)
	if err != nil {
		return err
	}
	page := eventPage{
		eventRow: rowOfEvent(v, e), Tabs: v.Tabs("api-keys"), MayCancel: e.Status != event.Completed &&
			e.Status != event.Cancelled,
		MayReplay: e.Status != event.Pending && e.Status != event.Processing,
	}
	switch e.Subject.Type {
	case event.SubjectBooking:
		page.About = v.Path("bookings", e.Subject.ID.String())
	case event.SubjectEndpoint:
		page.About = v.Path("webhooks", e.Subject.ID.String())
	}
	for _, a := range e.DetailsBody(attempts).AttemptsLog {
		shown := eventAttempt{Attempt: a.Attempt, Status: a.Status, Started: frame.Moment(a.StartedAt)}
		if a.Error != nil {
			shown.Error = *a.Error
		}
		if raw, ok := a.Details.(json.RawMessage); ok && len(raw) > len("{}") {
			shown.Details = form.Indented(raw)
		}
		page.Log = append(page.Log, shown)
	}
	return s.Render(v, http.StatusOK, "event", frame.EventWords(e.Kind), page)
}

// changeEvent cancels an event, or does it again, in the version that the person saw.
func (s section) changeEvent(v *frame.Visit) error {
	id := v.ID("id")
	change, done := s.ScheduledEvents.Cancel, "event_cancelled"
	switch v.C.Param("change") {
	case "cancel":
	case "replay":
		change, done = s.ScheduledEvents.Replay, "replayed"
	default:
		return problem.Missing()
	}
	to := v.Path("scheduled-events", id.String())
	return s.DoOnce(v, done, to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return change(v.Context(), v.Tenant().ID, r, id, string(v.Version()))
	})
}

package developers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
	"holdfast/internal/webhook"
)

// replayForm asks for the events that are delivered again.
func replayForm(t tenant.Tenant) form.Form {
	return form.Of[webhook.Range](t, []form.Group{{Label: "Events of this time", Fields: []form.Field{
		{Name: "from", Label: "From"}, {Name: "to", Label: "until", Last: true, Help: "Empty for now."},
	}}})
}

func (s section) showReplay(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	path := v.Path("webhooks", e.ID.String())
	page := frame.EditPage{
		Tabs:    v.Tabs("api-keys"),
		Heading: "Deliver events again",
		Help: "All events of the time that have the endpoint’s types are delivered to " + e.URL +
			", also those that it has already. " +
			"At most 10,000 at once.",
		Path:   path + "/replay",
		Back:   path,
		Button: "Deliver them again",
		Form:   replayForm(v.Tenant()).View(v.Query),
		Hidden: map[string]string{},
	}
	if cursor := v.Query.Get("cursor"); cursor != "" {
		page.Hidden["cursor"] = cursor
		page.Help = "The events that follow those that were delivered again, up to 10,000 more."
	}
	return s.RenderEdit(v, page)
}

func (s section) replayRange(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	began := time.Now().Add(-clockSkew)
	var done webhook.RangeBody
	err = replayForm(v.Tenant()).Submit(v.Form, func(d form.Document) error {
		if cursor := v.Form.Get("cursor"); cursor != "" {
			d["after"] = cursor
		}
		asked, err := form.ReadBody[webhook.Range](s.CheckBody, d)
		if err != nil {
			return err
		}
		response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return s.Webhooks.ReplayRange(v.Context(), v.Tenant(), r, e.ID, asked)
		})
		if err != nil {
			return err
		}
		return json.Unmarshal(response.Body, &done)
	})
	if err != nil {
		return err
	}
	query := url.Values{"since": {strconv.FormatInt(began.Unix(), 10)},
		"planned": {strconv.FormatInt(done.Deliveries, 10)}}
	if done.NextCursor != nil {
		query.Set("cursor", *done.NextCursor)
		query.Set("from", v.Form.Get("from"))
		query.Set("to", v.Form.Get("to"))
	}
	return v.Finish(v.Path("webhooks", e.ID.String(), "progress") + "?" + query.Encode())
}

// clockSkew is by how much the clocks of servers may differ.
const clockSkew = 30 * time.Second

// Bounds of what the page of a replay's progress looks at: more than the deliveries of one replay.
const (
	progressStep  = 1000
	progressSteps = 12
	// costOfProgress is the permits of the page: those of some of the longest pages of a list.
	costOfProgress = 8
	// refreshAfter is after how many seconds the page is loaded again, while deliveries are open.
	refreshAfter = "5"
)

// progressPage says how far a replay is.
type progressPage struct {
	endpointRow

	Tabs                   []web.NavLink
	Since                  string
	Planned                string
	Open, Made, Ended, All int
	More                   bool   // there are more than were looked at
	Rest                   string // path of the form for the rest of the range
}

func (s section) showProgress(v *frame.Visit) error {
	e, err := s.endpointOfPath(v)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(v.Query.Get("since"), 10, 64)
	since := time.Unix(seconds, 0)
	if now := time.Now(); err != nil || since.After(now) || since.Before(now.AddDate(-1, 0, 0)) {
		return problem.Missing()
	}
	page := progressPage{endpointRow: rowOfEndpoint(v, e), Tabs: v.Tabs("api-keys"), Since: v.Moment(since)}
	if planned, err := strconv.ParseUint(v.Query.Get("planned"), 10, 32); err == nil {
		page.Planned = strconv.FormatUint(planned, 10)
	}
	if v.Query.Get("cursor") != "" {
		rest := url.Values{}
		for _, name := range []string{"cursor", "from", "to"} {
			rest.Set(name, v.Query.Get(name))
		}
		page.Rest = page.Path + "/replay?" + rest.Encode()
	}
	if err := s.countDeliveries(v, e.ID, since, &page); err != nil {
		return err
	}
	if page.Open > 0 {
		v.C.Header("Refresh", refreshAfter)
	}
	return s.Render(v, http.StatusOK, "replay", "Deliver events again", page)
}

// countDeliveries counts an endpoint's deliveries that were due since a time, by what has come of them.
func (s section) countDeliveries(v *frame.Visit, endpoint uuid.UUID, since time.Time, to *progressPage) error {
	kind := event.KindWebhookDelivery
	next := &event.Position{DueAt: since}
	for range progressSteps {
		list, after, err := s.ScheduledEvents.List(v.Context(), v.Tenant().ID,
			event.Filter{Kind: &kind, After: next, Limit: progressStep})
		if err != nil {
			return err
		}
		for _, d := range list {
			if d.Subject.ID != endpoint {
				continue
			}
			to.All++
			switch d.Status {
			case event.Completed:
				to.Made++
			case event.Dead, event.Cancelled:
				to.Ended++
			default:
				to.Open++
			}
		}
		if next = after; next == nil {
			return nil
		}
	}
	to.More = true
	return nil
}

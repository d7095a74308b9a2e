package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/webhook"
)

// replayForm asks for the events that are delivered again.
func replayForm(t tenant.Tenant) form {
	return formOf[webhook.Range](t, []group{{Label: "Events of this time", Fields: []field{
		{Name: "from", Label: "From"}, {Name: "to", Label: "until", Last: true, Help: "Empty for now."},
	}}})
}

func (c *Console) showReplay(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	path := v.path("webhooks", e.ID.String())
	page := editPage{
		Tabs: v.tabs("api-keys"), Heading: "Deliver events again",
		Help: "All events of the time that have the endpoint’s types are delivered to " + e.URL + ", also those that it has already. " +
			"At most 10,000 at once.",
		Path: path + "/replay", Back: path, Button: "Deliver them again", Form: replayForm(v.tenant()).view(v.Query),
		Hidden: map[string]string{},
	}
	if cursor := v.Query.Get("cursor"); cursor != "" {
		page.Hidden["cursor"] = cursor
		page.Help = "The events that follow those that were delivered again, up to 10,000 more."
	}
	return c.renderEdit(v, page)
}

func (c *Console) replayRange(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	began := time.Now().Add(-clockSkew)
	var done webhook.RangeBody
	err = replayForm(v.tenant()).submit(v.Form, func(d document) error {
		if cursor := v.Form.Get("cursor"); cursor != "" {
			d["after"] = cursor
		}
		asked, err := readBody[webhook.Range](c.checkBody, d)
		if err != nil {
			return err
		}
		response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return c.Webhooks.ReplayRange(v.ctx(), v.tenant(), r, e.ID, asked)
		})
		if err != nil {
			return err
		}
		return json.Unmarshal(response.Body, &done)
	})
	if err != nil {
		return err
	}
	query := url.Values{"since": {strconv.FormatInt(began.Unix(), 10)}, "planned": {strconv.FormatInt(done.Deliveries, 10)}}
	if done.NextCursor != nil {
		query.Set("cursor", *done.NextCursor)
		query.Set("from", v.Form.Get("from"))
		query.Set("to", v.Form.Get("to"))
	}
	return v.Finish(v.path("webhooks", e.ID.String(), "progress") + "?" + query.Encode())
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

	Tabs                   []tab
	Since                  string
	Planned                string
	Open, Made, Ended, All int
	More                   bool   // there are more than were looked at
	Rest                   string // path of the form for the rest of the range
}

func (c *Console) showProgress(v *visit) error {
	e, err := c.endpointOfPath(v)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(v.Query.Get("since"), 10, 64)
	since := time.Unix(seconds, 0)
	if now := time.Now(); err != nil || since.After(now) || since.Before(now.AddDate(-1, 0, 0)) {
		return problem.Missing()
	}
	page := progressPage{endpointRow: v.endpointRow(e), Tabs: v.tabs("api-keys"), Since: v.moment(since)}
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
	if err := c.countDeliveries(v, e.ID, since, &page); err != nil {
		return err
	}
	if page.Open > 0 {
		v.C.Header("Refresh", refreshAfter)
	}
	return c.render(v, http.StatusOK, "replay", "Deliver events again", page)
}

// countDeliveries counts an endpoint's deliveries that were due since a time, by what has come of them.
func (c *Console) countDeliveries(v *visit, endpoint uuid.UUID, since time.Time, to *progressPage) error {
	kind := event.KindWebhookDelivery
	next := &event.Position{DueAt: since}
	for range progressSteps {
		list, after, err := c.ScheduledEvents.List(v.ctx(), v.tenant().ID, event.Filter{Kind: &kind, After: next, Limit: progressStep})
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

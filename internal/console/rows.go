package console

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/datetime"
	"holdfast/internal/event"
	"holdfast/internal/message"
	"holdfast/internal/web"
	"holdfast/internal/webhook"
)

// bookingRow is a booking in a list.
type bookingRow struct {
	booking.Booking

	URL               string
	Service, Resource string
}

// Clock returns when a booking begins on its day.
func (r bookingRow) Clock() string {
	if r.WholeDates() {
		return "All day"
	}
	return datetime.Clock(r.StartsAt.In(r.Location))
}

// rows returns bookings with the names of what they are of.
func (c *Console) rows(v *visit, list []booking.Booking) ([]bookingRow, error) {
	_, _, known, err := c.catalogOf(v)
	if err != nil {
		return nil, err
	}
	rows := make([]bookingRow, len(list))
	for i, b := range list {
		if err := c.addService(v, known, b.ServiceID); err != nil {
			return nil, err
		}
		if err := c.addResource(v, known, b.ResourceID); err != nil {
			return nil, err
		}
		rows[i] = bookingRow{Booking: b, URL: v.path("bookings", b.ID.String()), Service: known[b.ServiceID], Resource: known[b.ResourceID]}
	}
	return rows, nil
}

// historyRow is a change of a booking.
type historyRow struct {
	change.HistoryEntry

	At time.Time // in the booking's time zone
}

// Who returns who made the change, in words.
func (r historyRow) Who() string {
	switch {
	case r.User != nil:
		return r.User.Name
	case r.Operator != nil:
		return *r.Operator + " (operator)"
	case r.APIKeyID != nil:
		return "API key"
	case r.RequestID != nil:
		return "Customer"
	default:
		return "Holdfast"
	}
}

// What returns what changed, in words.
func (r historyRow) What() string { return web.Named(strings.ReplaceAll(r.Action, ".", " ")) }

// deliveryRow is a delivery with its times in words.
type deliveryRow struct {
	webhook.DeliveryBody

	URL           string
	Created, Next string
}

func (v *visit) deliveryRow(d webhook.DeliveryBody) deliveryRow {
	row := deliveryRow{DeliveryBody: d, URL: v.path("deliveries", d.ID.String()), Created: v.moment(d.CreatedAt)}
	if d.NextAttemptAt != nil {
		row.Next = v.moment(*d.NextAttemptAt)
	}
	return row
}

// misfit is a booking that no longer fits.
type misfit struct {
	bookingRow

	Why string
}

// maxHistory and maxMessages bound the changes and the messages that a page shows.
const (
	maxHistory  = 100
	maxMessages = 100
)

// history returns the changes of a booking or a customer, with times of a location.
func (c *Console) history(v *visit, subject uuid.UUID, loc *time.Location) ([]historyRow, error) {
	list, err := c.Changes.History(v.ctx(), v.tenant().ID, subject, 0, maxHistory)
	if err != nil {
		return nil, err
	}
	rows := make([]historyRow, len(list))
	for i, e := range list {
		rows[i] = historyRow{e, e.OccurredAt.In(loc)}
	}
	return rows, nil
}

// messages returns the messages of a booking or a customer, and those to come.
func (c *Console) messages(v *visit, subject uuid.UUID,
) (planned []event.Scheduled, upcoming []message.Upcoming, err error) {
	planned, _, err = c.ScheduledEvents.List(v.ctx(), v.tenant().ID, event.Filter{Subject: &subject, Limit: maxMessages})
	if err != nil {
		return nil, nil, err
	}
	upcoming, err = c.Messages.Upcoming(v.ctx(), v.tenant().ID, subject)
	return planned, upcoming, err
}

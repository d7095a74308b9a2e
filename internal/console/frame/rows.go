package frame

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

// BookingRow is a booking in a list.
type BookingRow struct {
	booking.Booking

	URL               string
	Service, Resource string
}

// Clock returns when a booking begins on its day.
func (r BookingRow) Clock() string {
	if r.WholeDates() {
		return "All day"
	}
	return datetime.Clock(r.StartsAt.In(r.Location))
}

// Rows returns bookings with the names of what they are of.
func (c *Console) Rows(v *Visit, list []booking.Booking) ([]BookingRow, error) {
	_, _, known, err := c.CatalogOf(v)
	if err != nil {
		return nil, err
	}
	rows := make([]BookingRow, len(list))
	for i, b := range list {
		if err := c.AddService(v, known, b.ServiceID); err != nil {
			return nil, err
		}
		if err := c.AddResource(v, known, b.ResourceID); err != nil {
			return nil, err
		}
		rows[i] = BookingRow{Booking: b, URL: v.Path("bookings", b.ID.String()), Service: known[b.ServiceID],
			Resource: known[b.ResourceID]}
	}
	return rows, nil
}

// HistoryRow is a change of a booking.
type HistoryRow struct {
	change.HistoryEntry

	At time.Time // in the booking's time zone
}

// Who returns who made the change, in words.
func (r HistoryRow) Who() string {
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
func (r HistoryRow) What() string { return web.Named(strings.ReplaceAll(r.Action, ".", " ")) }

// DeliveryRow is a delivery with its times in words.
type DeliveryRow struct {
	webhook.DeliveryBody

	URL           string
	Created, Next string
}

// DeliveryRow returns a delivery as a line of a list.
func (v *Visit) DeliveryRow(d webhook.DeliveryBody) DeliveryRow {
	row := DeliveryRow{DeliveryBody: d, URL: v.Path("deliveries", d.ID.String()), Created: v.Moment(d.CreatedAt)}
	if d.NextAttemptAt != nil {
		row.Next = v.Moment(*d.NextAttemptAt)
	}
	return row
}

// Misfit is a booking that no longer fits.
type Misfit struct {
	BookingRow

	Why string
}

// maxHistory and maxMessages bound the changes and the messages that a page shows.
const (
	maxHistory  = 100
	maxMessages = 100
)

// HistoryOf returns the changes of a booking or a customer, with times of a location.
func (c *Console) HistoryOf(v *Visit, subject uuid.UUID, loc *time.Location) ([]HistoryRow, error) {
	list, err := c.Changes.History(v.Context(), v.Tenant().ID, subject, 0, maxHistory)
	if err != nil {
		return nil, err
	}
	rows := make([]HistoryRow, len(list))
	for i, e := range list {
		rows[i] = HistoryRow{e, e.OccurredAt.In(loc)}
	}
	return rows, nil
}

// MessagesOf returns the messages of a booking or a customer, and those to come.
func (c *Console) MessagesOf(v *Visit, subject uuid.UUID,
) (planned []event.Scheduled, upcoming []message.Upcoming, err error) {
	planned, _, err = c.ScheduledEvents.List(v.Context(), v.Tenant().ID,
		event.Filter{Subject: &subject, Limit: maxMessages})
	if err != nil {
		return nil, nil, err
	}
	upcoming, err = c.Messages.Upcoming(v.Context(), v.Tenant().ID, subject)
	return planned, upcoming, err
}

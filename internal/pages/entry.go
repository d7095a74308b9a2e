package pages

import (
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/problem"
)

// showEntry answers with the booking's calendar entry, which mail programs know from the confirmation by its id.
func (p *Pages) showEntry(v *visit) error {
	b, err := p.bookingOf(v)
	if err != nil {
		return err
	}
	if b.Status != booking.Confirmed && b.Status != booking.Completed {
		return problem.New(problem.InvalidState, "Only a confirmed booking has a calendar entry.")
	}
	entry, err := email.Invitation{
		BookingID:   b.ID,
		Version:     b.Version,
		Starts:      b.StartsAt,
		Ends:        b.EndsAt,
		AllDay:      b.WholeDates(),
		Summary:     p.serviceName(v, b.ServiceID) + ", " + v.tenant.Name,
		Description: v.page.Contact,
		Place:       v.page.Address,
		URL:         p.Links.URL(*v.link),
		Organizer:   v.sender,
	}.Publish(b.UpdatedAt)
	if err != nil {
		return err
	}
	v.SetHeaders()
	v.C.Header("Content-Disposition", `attachment; filename="booking.ics"`)
	v.C.Data(http.StatusOK, "text/calendar; charset=utf-8", entry)
	return nil
}

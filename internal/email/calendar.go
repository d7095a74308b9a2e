package email

import (
	"bytes"
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"
)

// Invitation is a booking's calendar entry. An invitation with a higher version replaces the entry of the same booking.
type Invitation struct {
	// BookingID is the entry's UID, which never changes.
	BookingID uuid.UUID
	// Version is the booking's version. It is the entry's SEQUENCE.
	Version int64
	// Cancelled withdraws the entry.
	Cancelled bool
	// Starts and Ends bound the booking. Ends is exclusive.
	Starts, Ends time.Time
	// AllDay makes an entry of whole dates: those of Starts and Ends in their own locations.
	AllDay bool

	Summary     string
	Description string
	// Place is where the booking takes place, URL its page, and Organizer who sells it, for an entry that no email
	// brings. They may be empty.
	Place, URL string
	Organizer  *Address
}

// method returns the iTIP method (RFC 5546).
func (i Invitation) method() string {
	if i.Cancelled {
		return "CANCEL"
	}
	return "REQUEST"
}

// encode makes the iCalendar object. Its attendee is to, who has accepted: a customer who booked isn't asked whether
// they come. made is when this version of the entry was made.
func (i Invitation) encode(organizer, to *mail.Address, made time.Time) ([]byte, error) {
	return i.object(made, i.method(), func(event *ics.VEvent) {
		event.SetOrganizer(mailto(organizer), commonName(organizer)...)
		event.AddAttendee(mailto(to), append(commonName(to), ics.ParticipationStatusAccepted)...)
	})
}

// Publish returns the entry as a file that people add to their calendar by themselves (RFC 5546, section 3.2.1). It is
// the entry of the confirmation, because it has the same UID.
func (i Invitation) Publish(made time.Time) ([]byte, error) {
	return i.object(made, string(ics.MethodPublish), func(event *ics.VEvent) {
		if i.Organizer == nil {
			return
		}
		if organizer, ok := i.Organizer.mailbox(); ok {
			event.SetOrganizer(mailto(organizer), commonName(organizer)...)
		}
	})
}

// object returns the iCalendar object with a method. people adds organizer and attendee.
func (i Invitation) object(made time.Time, method string, people func(*ics.VEvent)) ([]byte, error) {
	if i.BookingID == uuid.Nil {
		return nil, errors.New("the booking has no id")
	}
	if i.Ends.Before(i.Starts) {
		return nil, errors.New("the booking ends before it starts")
	}
	calendar := ics.NewCalendar()
	calendar.SetProductId("-//Holdfast//Holdfast//EN")
	event := calendar.AddEvent(i.BookingID.String())
	event.SetDtStampTime(made)
	i.setTimes(event)
	event.SetSequence(int(i.Version))
	event.SetSummary(oneLine(i.Summary))
	if i.Description != "" {
		event.SetDescription(newlines(i.Description))
	}
	if place := strings.Join(strings.FieldsFunc(newlines(i.Place), func(r rune) bool { return r == '\n' }),
		", "); place != "" {
		event.SetLocation(place)
	}
	if i.URL != "" {
		event.SetURL(i.URL)
	}
	people(event)
	status := ics.ObjectStatusConfirmed
	if i.Cancelled {
		status = ics.ObjectStatusCancelled
	}
	event.SetStatus(status)
	calendar.SetMethod(ics.Method(method))
	var b bytes.Buffer
	err := calendar.SerializeTo(&b, ics.WithNewLineWindows)
	return b.Bytes(), err
}

func (i Invitation) setTimes(event *ics.VEvent) {
	if !i.AllDay {
		event.SetStartAt(i.Starts)
		event.SetEndAt(i.Ends)
		return
	}
	first, end := dateOf(i.Starts), dateOf(i.Ends)
	if !end.After(first) {
		end = first.AddDate(0, 0, 1)
	}
	event.SetAllDayStartAt(first)
	event.SetAllDayEndAt(end)
}

// dateOf returns the date of t in its own location, as midnight UTC.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// notEscaped are the characters that url.PathEscape escapes and that stand for themselves in a mailto URI (RFC 6068,
// section 2). It leaves & and =, which have a meaning there.
var notEscaped = strings.NewReplacer("&", "%26", "=", "%3D", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// mailto returns the URI of an address.
func mailto(who *mail.Address) string {
	return "mailto:" + notEscaped.Replace(url.PathEscape(who.Address))
}

// inName replaces what the library writes with a backslash, which a parameter doesn't know (RFC 5545, section 3.1):
// mail programs would show the backslash. A parameter can't hold a double quote at all.
var inName = strings.NewReplacer("'", "\u2019", `"`, "\u2019", ",", "", ";", "", ":", "")

// commonName returns the parameter that names an organizer or attendee; none without a name.
func commonName(who *mail.Address) []ics.PropertyParameter {
	name := inName.Replace(who.Name)
	if name == "" {
		return nil
	}
	return []ics.PropertyParameter{ics.WithCN(name)}
}

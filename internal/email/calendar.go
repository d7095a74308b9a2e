package email

import (
	"bytes"
	"errors"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-ical"
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
}

// method returns the iTIP method (RFC 5546).
func (i Invitation) method() string {
	if i.Cancelled {
		return "CANCEL"
	}
	return "REQUEST"
}

// encode makes the iCalendar object. Its organizer is from and its attendee is to, who has accepted: a customer who
// booked isn't asked whether they come. made is when this version of the entry was made.
func (i Invitation) encode(from, to *mail.Address, made time.Time) ([]byte, error) {
	if i.BookingID == uuid.Nil {
		return nil, errors.New("the booking has no id")
	}
	if i.Ends.Before(i.Starts) {
		return nil, errors.New("the booking ends before it starts")
	}
	event := ical.NewEvent()
	event.Props.SetText(ical.PropUID, i.BookingID.String())
	event.Props.SetDateTime(ical.PropDateTimeStamp, made.UTC())
	i.setTimes(event.Props)
	event.Props.Set(&ical.Prop{Name: ical.PropSequence, Value: strconv.FormatInt(i.Version, 10)})
	event.Props.SetText(ical.PropSummary, oneLine(i.Summary))
	if i.Description != "" {
		event.Props.SetText(ical.PropDescription, newlines(i.Description))
	}
	event.Props.Set(person(ical.PropOrganizer, from))
	attendee := person(ical.PropAttendee, to)
	attendee.Params.Set(ical.ParamParticipationStatus, "ACCEPTED")
	event.Props.Set(attendee)
	status := ical.EventConfirmed
	if i.Cancelled {
		status = ical.EventCancelled
	}
	event.SetStatus(status)

	calendar := ical.NewCalendar()
	calendar.Props.SetText(ical.PropProductID, "-//Holdfast//Holdfast//EN")
	calendar.Props.SetText(ical.PropVersion, "2.0")
	calendar.Props.SetText(ical.PropMethod, i.method())
	calendar.Children = append(calendar.Children, event.Component)
	var b bytes.Buffer
	if err := ical.NewEncoder(&b).Encode(calendar); err != nil {
		return nil, err
	}
	return fold(b.Bytes()), nil
}

func (i Invitation) setTimes(props ical.Props) {
	if !i.AllDay {
		props.SetDateTime(ical.PropDateTimeStart, i.Starts.UTC())
		props.SetDateTime(ical.PropDateTimeEnd, i.Ends.UTC())
		return
	}
	first, end := dateOf(i.Starts), dateOf(i.Ends)
	if !end.After(first) {
		end = first.AddDate(0, 0, 1)
	}
	props.SetDate(ical.PropDateTimeStart, first)
	props.SetDate(ical.PropDateTimeEnd, end)
}

// dateOf returns the date of t in its own location, as midnight UTC.
func dateOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// person returns the property of an organizer or attendee.
func person(name string, who *mail.Address) *ical.Prop {
	prop := ical.NewProp(name)
	// PathEscape leaves the @. It also leaves & and =, which have a meaning in a mailto URI (RFC 6068, section 2).
	prop.Value = "mailto:" + strings.NewReplacer("&", "%26", "=", "%3D").Replace(url.PathEscape(who.Address))
	if who.Name != "" {
		// A parameter can't hold a double quote (RFC 5545, section 3.1).
		prop.Params.Set(ical.ParamCommonName, strings.ReplaceAll(who.Name, `"`, "'"))
	}
	return prop
}

// maxLine is how many bytes a line of an iCalendar object has at most, its line break aside (RFC 5545, section 3.1).
const maxLine = 75

// fold breaks long lines, between characters. The library leaves them long.
func fold(calendar []byte) []byte {
	var folded bytes.Buffer
	length := 0
	for len(calendar) > 0 {
		r, size := utf8.DecodeRune(calendar)
		switch {
		case r == '\n':
			length = 0
		case r == '\r':
		case length+size > maxLine:
			folded.WriteString("\r\n ")
			length = 1 + size
		default:
			length += size
		}
		folded.Write(calendar[:size])
		calendar = calendar[size:]
	}
	return folded.Bytes()
}

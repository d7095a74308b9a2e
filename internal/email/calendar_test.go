package email_test

import (
	"bufio"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

// calendar returns the calendar entry of an email, and its text.
func calendar(t require.TestingT, m email.Message) (*ics.Calendar, *ics.VEvent, string) {
	data, err := m.Bytes()
	require.NoError(t, err)
	_, found := parts(t, data)
	text := found[len(found)-1].text
	for line := range strings.Lines(text) {
		require.True(t, strings.HasSuffix(line, "\r\n"))
		require.LessOrEqual(t, len(line), 77, "a line isn't folded")
		require.True(t, utf8.ValidString(line), "a character is folded apart")
	}
	parsed, err := ics.ParseCalendar(strings.NewReader(text))
	require.NoError(t, err)
	require.Len(t, parsed.Events(), 1)
	return parsed, parsed.Events()[0], text
}

// propertyNames returns the name of each line of an iCalendar object.
func propertyNames(t require.TestingT, text string) []string {
	var names []string
	lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(text, "\r\n ", "")))
	for lines.Scan() {
		names = append(names, lines.Text()[:strings.IndexAny(lines.Text(), ":;")])
	}
	require.NoError(t, lines.Err())
	return names
}

func property(t require.TestingT, event *ics.VEvent, name ics.ComponentProperty) *ics.IANAProperty {
	p := event.GetProperty(name)
	require.NotNil(t, p, "no %s", name)
	return p
}

func TestInvitation_Confirmed_SaysWhatWhenAndWho(t *testing.T) {
	t.Parallel()
	m := message()
	parsed, event, text := calendar(t, m)
	require.Contains(t, text, "METHOD:REQUEST\r\n")
	require.Contains(t, text, "VERSION:2.0\r\n")
	require.Len(t, parsed.Events(), 1)
	for name, value := range map[ics.ComponentProperty]string{
		ics.ComponentPropertyUniqueId: m.Invitation.BookingID.String(), ics.ComponentPropertySequence: "3",
		ics.ComponentPropertyStatus:  "CONFIRMED",
		ics.ComponentPropertyDtStart: "20270612T120000Z", ics.ComponentPropertyDtEnd: "20270612T140000Z",
		ics.ComponentPropertyDtstamp: "20270501T093000Z",
		ics.ComponentPropertySummary: m.Invitation.Summary, ics.ComponentPropertyDescription: m.Invitation.Description,
		ics.ComponentPropertyOrganizer: "mailto:office@harbour.example",
		ics.ComponentPropertyAttendee:  "mailto:lukasz@customer.example",
	} {
		require.Equal(t, value, property(t, event, name).Value, name)
	}
	attendee := property(t, event, ics.ComponentPropertyAttendee)
	require.Equal(t, []string{"Łukasz ’Lu’ O’Brien Jr."}, attendee.ICalParameters["CN"])
	require.Equal(t, []string{"ACCEPTED"}, attendee.ICalParameters["PARTSTAT"])
}

func TestInvitation_MovedThenCancelled_KeepsItsUIDAndRaisesItsSequence(t *testing.T) {
	t.Parallel()
	m := message()
	_, before, _ := calendar(t, m)

	i := m.Invitation
	i.Version, i.Starts, i.Ends = 4, i.Starts.AddDate(0, 0, 1), i.Ends.AddDate(0, 0, 1)
	_, moved, text := calendar(t, m)
	require.Equal(t, before.Id(), moved.Id())
	require.Equal(t, "4", property(t, moved, ics.ComponentPropertySequence).Value)
	require.Equal(t, "20270613T120000Z", property(t, moved, ics.ComponentPropertyDtStart).Value)
	require.Contains(t, text, "METHOD:REQUEST\r\n")

	m.Invitation.Version, m.Invitation.Cancelled = 5, true
	_, cancelled, text := calendar(t, m)
	require.Equal(t, before.Id(), cancelled.Id())
	require.Equal(t, "5", property(t, cancelled, ics.ComponentPropertySequence).Value)
	require.Equal(t, "CANCELLED", property(t, cancelled, ics.ComponentPropertyStatus).Value)
	require.Contains(t, text, "METHOD:CANCEL\r\n")
}

func TestInvitation_Cancelled_SaysSoInItsMediaType(t *testing.T) {
	t.Parallel()
	m := message()
	m.Invitation.Cancelled = true
	data, err := m.Bytes()
	require.NoError(t, err)
	_, found := parts(t, data)
	require.Equal(t, "CANCEL", found[2].params["method"])
}

func TestInvitation_WholeDates_AreThoseOfTheirLocation(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 13*60*60)
	midnight := time.Date(2027, time.June, 12, 0, 0, 0, 0, zone)
	for name, ends := range map[string]time.Time{"to midnight": midnight.AddDate(0, 0, 1),
		"to the evening": midnight.Add(18 * time.Hour)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Invitation.AllDay, m.Invitation.Starts, m.Invitation.Ends = true, midnight, ends
			_, _, text := calendar(t, m)
			require.Contains(t, text, "DTSTART;VALUE=DATE:20270612\r\n")
			require.Contains(t, text, "DTEND;VALUE=DATE:20270613\r\n")
		})
	}
}

func TestInvitation_LongText_IsFoldedAndReadBack(t *testing.T) {
	t.Parallel()
	m := message()
	m.Invitation.Description = strings.Repeat("Grüße aus dem Hafen, 😀; ", 40) + strings.Repeat("ö", 200)
	_, event, _ := calendar(t, m)
	require.Equal(t, m.Invitation.Description, property(t, event, ics.ComponentPropertyDescription).Value)
}

func TestInvitation_AddressWithSpecialCharacters_IsAValidURI(t *testing.T) {
	t.Parallel()
	m := message()
	m.To.Email = "a+b%?c&d=e@customer.example"
	_, event, _ := calendar(t, m)
	require.Equal(t, "mailto:a+b%25%3Fc%26d%3De@customer.example",
		property(t, event, ics.ComponentPropertyAttendee).Value)
}

package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// mailBundle is a database, a mail server and a server that sends the emails of one shop, which reminds two hours
// before a booking and follows it up an hour after its end.
type mailBundle struct {
	env      []string
	database string
	mail     *mailServer
	server   *proc
	shop     shop
}

func newMailBundle(t *testing.T, env ...string) *mailBundle {
	t.Helper()
	skipProcesses(t)
	b := &mailBundle{database: dbtest.Database(t), mail: startMailServer(t)}
	b.env = append([]string{"HOLDFAST_DATABASE_URL=" + b.database, "HOLDFAST_SMTP_URL=" + b.mail.url,
		"HOLDFAST_TENANT_EMAIL_DOMAINS=shop.example"}, env...)
	b.server = start(t, newDir(t), b.env...)
	b.shop = newShop(t, b.server)
	a, err := b.server.send(http.MethodPatch, "/v1/tenant", b.shop.key, "", map[string]any{
		"reminders": []any{map[string]any{"before_minutes": 120}}, "follow_up_minutes": 60,
		"email": map[string]any{"from": map[string]any{"name": "The Shop", "email": "office@shop.example"}},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	return b
}

// slot is an hour of tomorrow that the shop sells. It is so near that its messages are planned together with the
// confirmation.
func (b *mailBundle) slot(hour int) time.Time {
	return testtime.Tomorrow().In(time.UTC).Add(time.Duration(hour) * time.Hour)
}

// book books a slot for the customer key@example.com, and returns the booking as it was answered, and the confirmation.
func (b *mailBundle) book(t *testing.T, key string, at time.Time) (booked answer, confirmation receivedMail) {
	t.Helper()
	booked = b.shop.mustBook(t, b.server, key, at)
	return booked, b.mail.await(t, key+"@example.com", 1)[0]
}

// makeDue makes the events of a kind due that are still planned.
func (b *mailBundle) makeDue(t *testing.T, kind string) {
	t.Helper()
	_, err := dbtest.SQL(t, b.database).Exec(t.Context(),
		"UPDATE scheduled_events SET due_at = now() WHERE kind = $1 AND status = 'pending'", kind)
	require.NoError(t, err)
}

// endBookings moves the bookings to come into the past, the last of them to a time so long ago, and makes their
// follow-ups due.
func (b *mailBundle) endBookings(t *testing.T, ago time.Duration) {
	t.Helper()
	_, err := dbtest.SQL(t, b.database).Exec(t.Context(), `
		WITH shift AS (
			SELECT max(ends_at) - date_trunc('second', now()) + $2::interval AS by FROM bookings WHERE ends_at > now()
		), ended AS (
			UPDATE bookings
			SET starts_at = starts_at - by, ends_at = ends_at - by, busy_from = busy_from - by, busy_until = busy_until - by
			FROM shift
			WHERE ends_at > now()
			RETURNING booking_id, ends_at)
		UPDATE scheduled_events s
		SET due_at = now(), occurrence = '60m/' || to_char(e.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
		FROM ended e
		WHERE s.subject_id = e.booking_id AND s.kind = $1 AND s.status = 'pending'`, event.KindBookingFollowUp, ago)
	require.NoError(t, err)
}

// awaitIdle waits until no email is due, and no event of a kind.
func (b *mailBundle) awaitIdle(t *testing.T, kind string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return query[int](t, b.database, `SELECT count(*) FROM scheduled_events
			WHERE kind IN ($1, $2) AND status NOT IN ('completed', 'cancelled')`, kind, event.KindEmail)[0] == 0
	}, waitLimit, 5*poll)
}

// entry returns the calendar entry of an email. The part for mail programs and the attached file must be the same.
func (f *mailFile) entry(t testing.TB) (sequence int, event *ics.VEvent) {
	t.Helper()
	require.Equal(t, f.parts["text/calendar"], f.parts["application/ics"])
	calendar, err := ics.ParseCalendar(strings.NewReader(f.parts["text/calendar"]))
	require.NoError(t, err)
	require.Contains(t, f.parts["text/calendar"], "\nMETHOD:"+f.method+"\n")
	require.Len(t, calendar.Events(), 1)
	event = calendar.Events()[0]
	sequence, err = strconv.Atoi(event.GetProperty(ics.ComponentPropertySequence).Value)
	require.NoError(t, err)
	return sequence, event
}

func TestServe_ReminderIsDue_OneEmailArrivesBySMTP(t *testing.T) {
	t.Parallel()
	b := newMailBundle(t)
	start(t, newDir(t), b.env...) // two servers must send it once, too
	at := b.slot(10)
	booked, confirmation := b.book(t, "ada", at)
	require.Equal(t, "Your booking is confirmed: Hour, "+at.Format("Monday 2 January 2006"), confirmation.subject(t))
	require.Equal(t, []time.Time{at.Add(-2 * time.Hour)}, query[time.Time](t, b.database,
		"SELECT due_at AT TIME ZONE 'UTC' FROM scheduled_events WHERE kind = $1", event.KindBookingReminder))

	b.makeDue(t, event.KindBookingReminder)
	reminder := b.mail.await(t, "ada@example.com", 2)[1]
	b.awaitIdle(t, event.KindBookingReminder)
	require.Len(t, b.mail.to("ada@example.com"), 2, "one confirmation, one reminder")
	require.Len(t, b.mail.mails, 2)
	require.Equal(t, "office@shop.example", reminder.from)
	require.Equal(t, []*mail.Address{{Name: "The Shop", Address: "office@shop.example"}}, reminder.addresses(t, "From"))
	require.Equal(t, []*mail.Address{{Name: "Ada", Address: "ada@example.com"}}, reminder.addresses(t, "To"))
	require.Equal(t, "See you soon: Hour, "+at.Format("Monday 2 January 2006"), reminder.subject(t))
	require.ElementsMatch(t, []string{"text/plain", "text/html"}, slices.Collect(maps.Keys(reminder.parts)))
	when := at.Format("Monday 2 January 2006, 15:04") + " to " + at.Add(time.Hour).Format("15:04") + " (UTC)"
	require.Equal(t, "Hello Ada,\n\nThis is a reminder of your booking.\n\nHour\n"+when+
		"\nRoom\nPeople: 1\nReference: "+booked.code()+
		"\n\nWe look forward to seeing you.\n\nShop\n", reminder.parts["text/plain"])
	for _, part := range []string{"Hello Ada,<br>", "This is a reminder of your booking.<br>", "Hour<br>",
		when + "<br>", "Reference: " +
			booked.code() + "<br>", "Shop<br>"} {
		require.Contains(t, reminder.parts["text/html"], part)
	}
	require.NotContains(t, reminder.parts["text/html"], "{{")
	require.NotEqual(t, confirmation.header.Get("Message-ID"), reminder.header.Get("Message-ID"))
}

func TestServe_BookingIsCancelledBeforeItsReminder_CalendarEntryIsWithdrawnAndNoReminderArrives(t *testing.T) {
	t.Parallel()
	b := newMailBundle(t)
	booked, confirmation := b.book(t, "ada", b.slot(10))
	id := booked.id()
	require.Equal(t, "REQUEST", confirmation.method)
	confirmed, invited := confirmation.entry(t)
	require.Equal(t, id, invited.Id())

	a, err := b.server.send(http.MethodPost, "/v1/bookings/"+id+"/cancel", b.shop.key, "cancel", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	cancellation := b.mail.await(t, "ada@example.com", 2)[1]
	require.Contains(t, cancellation.subject(t), "Your booking is cancelled: Hour")
	require.Equal(t, "CANCEL", cancellation.method)
	cancelled, withdrawn := cancellation.entry(t)
	require.Equal(t, id, withdrawn.Id(), "the entry that is withdrawn is the one that was sent")
	require.Greater(t, cancelled, confirmed)
	require.Equal(t, "CANCELLED", withdrawn.GetProperty(ics.ComponentPropertyStatus).Value)
	require.Equal(t, "mailto:office@shop.example", withdrawn.GetProperty(ics.ComponentPropertyOrganizer).Value)

	// The other customer's reminder arrives, so this one's would have.
	b.book(t, "grace", b.slot(11))
	b.makeDue(t, event.KindBookingReminder)
	require.Contains(t, b.mail.await(t, "grace@example.com", 2)[1].subject(t), "See you soon")
	b.awaitIdle(t, event.KindBookingReminder)
	require.Len(t, b.mail.to("ada@example.com"), 2)
}

// The mail server has the email, and the server dies before it hears so.
func TestServe_KilledWhileItSendsAReminder_ArrivesAgainWithTheSameMessageID(t *testing.T) {
	t.Parallel()
	b := newMailBundle(t)
	var sending atomic.Bool
	dead := make(chan struct{})
	reply := sync.OnceFunc(func() { close(dead) })
	t.Cleanup(reply)
	b.mail.beforeReply = func(r receivedMail) {
		if subject := r.header.Get("Subject"); strings.HasPrefix(subject, "See you soon") && !sending.Swap(true) {
			<-dead
		}
	}
	b.book(t, "ada", b.slot(10))
	b.makeDue(t, event.KindBookingReminder)
	b.mail.await(t, "ada@example.com", 2)
	b.server.Kill()
	reply()
	require.Equal(t, []string{"processing"}, query[string](t, b.database,
		"SELECT status FROM scheduled_events WHERE kind = $1 AND status <> 'completed'", event.KindEmail),
		"it died at another moment")

	start(t, newDir(t), b.env...)
	_, err := dbtest.SQL(t, b.database).Exec(t.Context(),
		"UPDATE scheduled_events SET leased_until = now() WHERE status = 'processing'")
	require.NoError(t, err)
	b.mail.await(t, "ada@example.com", 3)
	b.awaitIdle(t, event.KindBookingReminder)
	mails := b.mail.to("ada@example.com")
	require.Len(t, mails, 3)
	first, again := mails[1], mails[2]
	require.NotEmpty(t, first.header.Get("Message-ID"))
	require.Equal(t, first.header.Get("Message-ID"), again.header.Get("Message-ID"),
		"mail programs and servers show one of the two")
	require.Equal(t, first.header.Get("Date"), again.header.Get("Date"))
	require.Equal(t, first.parts, again.parts)
}

// A mail program unsubscribes by the header of an email (RFC 8058).
func TestServe_CustomerUnsubscribesByAnEmailsHeader_NoFollowUpArrivesAnyMore(t *testing.T) {
	t.Parallel()
	const public = "https://book.example"
	b := newMailBundle(t, "HOLDFAST_PUBLIC_URL="+public)
	_, confirmation := b.book(t, "ada", b.slot(10))
	require.Empty(t, confirmation.header.Get("List-Unsubscribe"), "nobody unsubscribes from what is told of bookings")
	b.endBookings(t, 5*time.Hour)
	followUp := b.mail.await(t, "ada@example.com", 2)[1]
	require.Equal(t, "Thank you for your visit", followUp.subject(t))
	require.Equal(t, "List-Unsubscribe=One-Click", followUp.header.Get("List-Unsubscribe-Post"))
	link, found := strings.CutPrefix(strings.Trim(followUp.header.Get("List-Unsubscribe"), "<>"), public)
	require.True(t, found, followUp.header.Get("List-Unsubscribe"))
	require.Contains(t, followUp.parts["text/plain"], public+link)

	response, err := b.server.client.PostForm(b.server.url+link, url.Values{"List-Unsubscribe": {"One-Click"}})
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	again := b.shop.order("ada", b.slot(11))
	a, err := b.server.send(http.MethodPost, "/v1/bookings", b.shop.key, "again", again)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	require.Contains(t, b.mail.await(t, "ada@example.com", 3)[2].subject(t), "Your booking is confirmed",
		"emails about bookings still arrive")
	b.book(t, "grace", b.slot(12))
	b.endBookings(t, 2*time.Hour)
	require.Equal(t, "Thank you for your visit", b.mail.await(t, "grace@example.com", 2)[1].subject(t))
	b.awaitIdle(t, event.KindBookingFollowUp)
	require.Len(t, b.mail.to("ada@example.com"), 3)
}

func TestServe_Demo_KeepsEmailsAsFiles(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p, d := startDemo(t, dir)
	list, err := p.send(http.MethodGet, "/v1/services", d.apiKey, "", nil)
	require.NoError(t, err)
	var services struct {
		Data []struct{ ID, Name string }
	}
	require.NoError(t, json.Unmarshal(list.body, &services))
	i := slices.IndexFunc(services.Data, func(s struct{ ID, Name string }) bool { return s.Name == "Wedding day" })
	require.GreaterOrEqual(t, i, 0, "%s", list)
	date := testtime.At(0, 0, 0, time.UTC)
	booked, err := p.send(http.MethodPost, "/v1/bookings", d.apiKey, "wedding", map[string]any{
		"service_id": services.Data[i].ID, "date": date.Format(time.DateOnly),
		"customer": map[string]any{"name": "Zoë <Ada>", "email": "ada@example.com"},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, booked.status, "%s", booked)

	// Beside the email of the booking there is the invitation of the demo's owner.
	var files []string
	require.Eventually(t, func() bool {
		files, err = filepath.Glob(filepath.Join(dir, "mail", "*.eml"))
		return err == nil && len(files) == 2
	}, waitLimit, poll)
	bySubject := map[string]mailFile{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		f, err := readMail(data)
		require.NoError(t, err)
		bySubject[f.subject(t)] = f
	}
	require.Contains(t, p.Stdout.String(), "Emails are not sent but kept in "+filepath.Join(dir, "mail")+"\n")
	require.Contains(t, bySubject, "You are invited to Harbour Tours")
	f := bySubject["Your booking is confirmed: Wedding day, "+date.Format("Monday 2 January 2006")]
	require.Equal(t, []*mail.Address{{Name: "Harbour Tours", Address: "mail@holdfast.example"}}, f.addresses(t, "From"))
	require.Equal(t, []*mail.Address{{Name: "Harbour Tours", Address: "booking@harbour-tours.example"}},
		f.addresses(t, "Reply-To"))
	require.Equal(t, []*mail.Address{{Name: "Zoë <Ada>", Address: "ada@example.com"}}, f.addresses(t, "To"))
	require.Equal(t, "Your booking is confirmed: Wedding day, "+date.Format("Monday 2 January 2006"), f.subject(t))
	text := f.parts["text/plain"]
	link := regexp.MustCompile(`\n\nYour booking: (` + p.url + `/booking/[\w-]+)`).FindStringSubmatch(text)
	require.Len(t, link, 2, text)
	own, err := p.client.Get(link[1])
	require.NoError(t, err)
	require.NoError(t, own.Body.Close())
	require.Equal(t, http.StatusOK, own.StatusCode, "the link leads to the booking's page")
	require.Equal(t, "Hello Zoë <Ada>,\n\nThank you. Your booking is confirmed.\n\nWedding day\n"+
		date.Format("Monday 2 January 2006")+
		"\nOld Hall\nPeople: 1\nPrice: 2,500.00 EUR\nStill to pay: 2,500.00 EUR\nReference: "+booked.code()+
		"\n\nWe look forward to seeing you.\n\nHarbour Tours\nPier 7, Hamburg\n+49 40 1234567\n",
		strings.Replace(text, link[0], "", 1))
	require.Contains(t, f.parts["text/html"], "Hello Zoë &lt;Ada&gt;,<br>")
	require.Contains(t, f.parts["text/html"], "Reference: "+booked.code()+"<br>")
	require.Equal(t, "REQUEST", f.method)
	_, invited := f.entry(t)
	require.Equal(t, booked.id(), invited.Id())
}

package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// onCalendar returns what the calendar shows of the days around a date from testtime.
func (s *business) onCalendar(t testing.TB, p *pagetest.Page, day int) (events []object) {
	t.Helper()
	at := testtime.Date(day)
	answer := s.at(t, p, "/calendar/events?start="+at.AddDays(-3).String()+"&end="+at.AddDays(4).String()+"T00:00:00")
	require.Equal(t, http.StatusOK, answer.Status)
	require.NoError(t, json.Unmarshal([]byte(answer.Raw), &events))
	return events
}

func TestCalendar_HasBookingsAndBlocksAsClocksShowThem(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	tour := s.tour(t, nil)
	made := s.book(t, tour, tourAt(t, 0, 10))
	cabin := s.call(t, http.MethodPost, "/v1/services", s.key, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 1)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "booking_window_days": 365,
	})["id"].(string)
	s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": cabin, "check_in": testtime.Date(0).String(), "check_out": testtime.Date(2).String(),
		"customer": object{"name": "Alan Turing", "email": "alan@example.com"},
	})
	cancelled := s.book(t, tour, tourAt(t, 0, 12))
	s.call(t, http.MethodPost, "/v1/bookings/"+cancelled["id"].(string)+"/cancel", s.key, object{})
	s.call(t, http.MethodPost, "/v1/blocks", s.key, object{
		"resource_id": s.resource(t, "Quay", 1), "starts_at": tourAt(t, 1, 13).Format(time.RFC3339),
		"ends_at": tourAt(t, 1, 14).Format(time.RFC3339), "reason": "Repair",
	})
	owner, reader := s.signedIn(t, "ada", user.RoleOwner), s.signedIn(t, "eve", user.RoleRead)
	events := s.onCalendar(t, owner, 0)
	require.Len(t, events, 3)
	byTitle := map[string]object{}
	for _, e := range events {
		byTitle[e["title"].(string)] = e
	}
	booked := byTitle["Grace Hopper · Harbour tour · 2 people"]
	require.Equal(t, testtime.Date(0).String()+"T10:00:00", booked["start"], "no offset: what clocks show in Berlin")
	require.Equal(t, made["id"], booked["id"])
	require.Equal(t, true, booked["startEditable"])
	require.Equal(t, false, booked["durationEditable"], "the service has one length")
	stay := byTitle["Alan Turing · Cabin"]
	require.Equal(t, true, stay["allDay"])
	require.Equal(t, []any{testtime.Date(0).String(), testtime.Date(3).String()}, []any{stay["start"], stay["end"]})
	require.Equal(t, testtime.Date(1).String()+"T13:00:00", byTitle["Blocked: Repair"]["start"])
	for _, e := range s.onCalendar(t, reader, 0) {
		require.Equal(t, false, e["startEditable"], "the role lets look, and nothing else")
	}
}

func TestCalendar_UnreadableDays_AreRefused(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleRead)
	for _, query := range []string{"", "?start=x&end=y", "?start=2027-01-01&end=2026-01-01",
		"?start=2027-01-01&end=2028-01-01",
		"?start=2027-02-30&end=2027-03-01", "?start=" + url.QueryEscape(hostile)} {
		require.Equal(t, http.StatusUnprocessableEntity, s.at(t, p, "/calendar/events"+query).Status, query)
	}
}

func TestCalendar_BlockedTime_CanBeFreedAgain(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	p := s.signedIn(t, "ada", user.RoleOwner)
	day := testtime.Date(0).String()
	calendar := "/console/harbour/calendar?view=timeGridDay"
	form := s.at(t, p, "/blocks/new?resource_id="+made["resource_id"].(string)+"&starts_at="+day+"T10:00&ends_at="+day+
		"T12:00").
		Form(t, "Block the time").With("reason", "Repair").With("back", calendar)
	require.Equal(t, http.StatusConflict, form.Submit(t).Status, "a booking stands in the way")
	blocked := form.With("force", "1").Submit(t)
	require.Equal(t, calendar+"&done=blocked", strings.Split(blocked.URL.RequestURI(), "&undo=")[0])
	require.Contains(t, blocked.Text(), "The time is blocked.")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM blocks WHERE archived_at IS NULL"))
	freed := blocked.Follow(t, "Undo").Form(t, "Archive it").With("back", calendar).Submit(t)
	require.Equal(t, calendar+"&done=archived", freed.URL.RequestURI())
	require.Equal(t, 0, s.count(t, "SELECT count(*) FROM blocks WHERE archived_at IS NULL"))
}

func TestCalendar_DraggedBooking_IsMovedOnceThePersonAgrees(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	b.Open(t, s.url+"/console/harbour/calendar?view=timeGridDay&date="+testtime.Date(0).String())
	from := centre(t, b, ".ec-event")
	hour := rowHeight(t, b)
	b.Drag(t, from, pagetest.Point{X: from.X, Y: from.Y + 3*hour})
	b.Run(t, chromedp.WaitVisible(chromedp.CSS("dialog .offer")))
	require.Contains(t, b.Text(t, "dialog"), "13:00–14:00")
	require.Equal(t, made["starts_at"], s.booking(t, made["id"])["starts_at"], "nothing is moved yet")
	b.Press(t, "Move it")
	require.Eventually(t, func() bool {
		return s.booking(t, made["id"])["starts_at"] == tourAt(t, 0, 13).Format(time.RFC3339)
	}, patient, poll)
}

func TestCalendar_DraggedLonger_ShowsTheDifferenceAndIsAmendedOnceThePersonAgrees(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.call(t, http.MethodPost, "/v1/services", s.key, object{
		"name": "Charter", "kind": "slot", "resource_ids": []string{s.resource(t, "Boat", 10)},
		"booking_window_days":  365,
		"min_duration_minutes": 60, "max_duration_minutes": 240, "duration_step_minutes": 60, "price": 4500,
		"price_per_minutes": 60,
	})["id"].(string)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": tourAt(t, 0, 10).Format(time.RFC3339), "duration_minutes": 60,
		"customer": object{"name": "Grace Hopper", "email": "grace@example.com"},
	})
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	b.Open(t, s.url+"/console/harbour/calendar?view=timeGridDay&date="+testtime.Date(0).String())
	centre(t, b, ".ec-event")
	hour := rowHeight(t, b)
	edge := centre(t, b, ".ec-event .ec-resizer")
	b.Drag(t, edge, pagetest.Point{X: edge.X, Y: edge.Y + hour})
	b.Run(t, chromedp.WaitVisible(chromedp.CSS("dialog .offer")))
	shown := b.Text(t, "dialog")
	require.Contains(t, shown, "10:00–12:00")
	require.Contains(t, shown, "The price stays €45")
	require.Contains(t, shown, "€45 more")
	require.Equal(t, made["ends_at"], s.booking(t, made["id"])["ends_at"], "nothing is changed yet")
	b.Press(t, "Move it for €90")
	require.Eventually(t, func() bool {
		now := s.booking(t, made["id"])
		return now["ends_at"] == tourAt(t, 0, 12).Format(time.RFC3339) && now["price"] == 9000.0
	}, patient, poll)
}

func TestCalendar_DraggedToWhatIsClosed_SaysWhyAndStaysWhereItWas(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 16))
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	b.Open(t, s.url+"/console/harbour/calendar?view=timeGridDay&date="+testtime.Date(0).String())
	from := centre(t, b, ".ec-event")
	b.Drag(t, from, pagetest.Point{X: from.X, Y: from.Y + 3*rowHeight(t, b)})
	b.Run(t, chromedp.WaitVisible(chromedp.CSS("dialog .notice")))
	require.NotContains(t, b.Text(t, "dialog"), "Move it")
	b.Run(t, chromedp.Click(chromedp.CSS("dialog .close")))
	require.Contains(t, b.Text(t, ".ec-event"), "16:00", "it is shown where it was")
	require.Equal(t, made["starts_at"], s.booking(t, made["id"])["starts_at"])
}

func TestCalendar_MarkedTime_IsBlocked(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	b := s.browser(t, pagetest.Desktop, user.RoleOwner)
	b.Open(t, s.url+"/console/harbour/calendar?view=timeGridDay&date="+testtime.Date(0).String())
	from := centre(t, b, ".ec-event")
	hour := rowHeight(t, b)
	b.Drag(t, pagetest.Point{X: from.X, Y: from.Y + hour}, pagetest.Point{X: from.X, Y: from.Y + 3*hour - 5})
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(`dialog [name="starts_at"]`)))
	b.Press(t, "Block the time")
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(".notice.good")))
	require.Contains(t, b.Text(t, ".notice.good"), "The time is blocked.")
	require.Equal(t, s.url+"/console/harbour/calendar", b.Location(t), "the form leads back to the calendar")
	require.Eventually(t, func() bool {
		return s.count(t, "SELECT count(*) FROM blocks WHERE archived_at IS NULL") == 1
	}, patient, poll)
	block := s.call(t, http.MethodGet, "/v1/blocks", s.key, nil)["data"].([]any)[0].(object)
	starts, err := time.Parse(time.RFC3339, block["starts_at"].(string))
	require.NoError(t, err)
	require.Equal(t, testtime.Date(0).String(), starts.In(berlin(t)).Format(time.DateOnly))
}

func TestCalendar_Month_IsReadAsDates(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	b := s.browser(t, pagetest.Desktop, user.RoleRead)
	b.Open(t, s.url+"/console/harbour/calendar?view=dayGridMonth&date="+testtime.Date(0).String())
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(".ec-event")))
	read := pagetest.Value(t, b, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll("#calendar .ec-day .hidden")].map(e => e.textContent)`))
	require.Contains(t, read, testtime.Date(0).In(time.UTC).Format("Monday, 2 January 2006"))
}

// centre returns the middle of the first element of a selector, once it is there.
func centre(t testing.TB, b *pagetest.Browser, selector string) pagetest.Point {
	t.Helper()
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(selector)), chromedp.ScrollIntoView(chromedp.CSS(selector)))
	at := pagetest.Value(t, b, chromedp.Evaluate[[]float64](`(() => {
		const r = document.querySelector("`+selector+`").getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`))
	return pagetest.Point{X: at[0], Y: at[1]}
}

// rowHeight returns the height of an hour, in pixels: the booking on the calendar lasts one.
func rowHeight(t testing.TB, b *pagetest.Browser) float64 {
	t.Helper()
	return pagetest.Value(t, b,
		chromedp.Evaluate[float64](`document.querySelector(".ec-event").getBoundingClientRect().height`))
}

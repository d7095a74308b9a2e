package console_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// walk opens each page in each state that people see, and calls look there.
func walk(t *testing.T, d pagetest.Device, look pagetest.Look) {
	t.Helper()
	s := newBusiness(t)
	service := s.tour(t, object{
		"deposit": 1000, "cancellation_policy": object{"steps": []object{{"from_minutes": 60 * 24 * 300,
			"percent": 50}}},
	})
	made := s.book(t, service, tourAt(t, 0, 10))
	s.book(t, service, tourAt(t, 0, 13))
	s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": tourAt(t, 0, 15).Format(time.RFC3339), "party_size": 3, "hold_minutes": 60,
	})
	s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/payments", s.key,
		object{"kind": "deposit", "payment_method": "pm_ok"})
	s.call(t, http.MethodPost, "/v1/blocks", s.key, object{
		"resource_id": s.resource(t, "Quay", 1), "starts_at": tourAt(t, 1, 13).Format(time.RFC3339),
		"ends_at": tourAt(t, 1, 15).Format(time.RFC3339), "reason": "Repair",
	})
	s.user(t, "grace", user.RoleStaff)
	b := pagetest.NewBrowser(t, d)
	home := s.url + "/console/harbour"
	date := testtime.Date(0).String()
	b.Open(t, s.url+"/console")
	look(b, "console-find")
	b.Open(t, home+"/sign-in")
	look(b, "console-sign-in")
	b.Fill(t, "email", "ada@harbour.example")
	b.Press(t, "Send me a link")
	look(b, "console-mailbox")
	b.Open(t, s.link(t, s.user(t, "ada", user.RoleOwner)))
	look(b, "console-enter")
	b.Press(t, "Sign in")
	b.Await(t, "Today")
	b.Open(t, home+"?date="+date)
	look(b, "console-today")
	b.Open(t, home+"/bookings")
	look(b, "console-bookings")
	b.Open(t, home+"/bookings/"+made["id"].(string))
	look(b, "console-booking")
	b.Open(t, home+"/bookings?q="+made["code"].(string))
	b.Run(t, chromedp.Click(chromedp.CSS("a[data-beside]")), chromedp.WaitVisible(chromedp.CSS("dialog h1")))
	look(b, "console-booking-beside")
	b.Open(t, home+"/bookings/"+made["id"].(string)+"/end/cancel")
	look(b, "console-cancel")
	b.Open(t, home+"/bookings/"+made["id"].(string)+"/move?date="+testtime.Date(1).String()+"&time=11:00")
	look(b, "console-move")
	b.Open(t, home+"/bookings/"+made["id"].(string)+"/move?date="+testtime.Date(1).String()+"&time=20:00")
	look(b, "console-move-refused")
	b.Open(t, home+"/book")
	look(b, "console-new")
	b.Open(t, home+"/book?service="+service+"&quote=1&party=2&time=11:00&date="+date)
	look(b, "console-new-offer")
	for _, view := range []string{"timeGridWeek", "dayGridMonth", "listWeek", "resourceTimeGridDay",
		"resourceTimelineWeek"} {
		b.Open(t, home+"/calendar?view="+view+"&date="+date)
		b.Run(t, chromedp.WaitVisible(chromedp.CSS(".ec-event")))
		look(b, "console-calendar-"+view)
	}
	b.Open(t, home+"/blocks/new?starts_at="+date+"T10:00&ends_at="+date+"T12:00")
	look(b, "console-block")
	b.Open(t, home+"/users")
	look(b, "console-users")
	b.Open(t, home+"/bookings/nothing")
	look(b, "console-failure")
}

func TestConsole_EachPage_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walk(t, pagetest.Desktop,
		func(b *pagetest.Browser, name string) { b.RequireAccessible(t, name, pagetest.Everywhere()...) })
}

func TestConsole_Pictures(t *testing.T) {
	t.Parallel()
	pagetest.TakePictures(t, walk)
}

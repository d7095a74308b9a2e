package console_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/datetime"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// rental makes a service on boats that are always open, and returns its id and those of the boats.
func (s *business) rental(t testing.TB, more object) (service string, boats []string) {
	t.Helper()
	for _, name := range []string{"Boat 1", "Boat 2"} {
		boat := s.call(t, http.MethodPost, "/v1/resources", s.key, object{"name": name, "capacity": 1})["id"].(string)
		s.call(t, http.MethodPut, "/v1/resources/"+boat+"/hours", s.key, object{"always_open": true})
		boats = append(boats, boat)
	}
	spec := object{
		"name": "Boat", "kind": "slot", "resource_ids": boats, "price": 5000, "booking_window_days": 800,
		"slot_interval_minutes": 30,
	}
	for name, value := range more {
		spec[name] = value
	}
	return s.call(t, http.MethodPost, "/v1/services", s.key, spec)["id"].(string), boats
}

// rent books a time of a rental for as long as more says.
func (s *business) rent(t testing.TB, service string, at time.Time, more object) object {
	t.Helper()
	spec := object{
		"service_id": service, "starts_at": at.Format(time.RFC3339),
		"customer": object{"name": "Grace Hopper", "email": "grace@example.com"},
	}
	for name, value := range more {
		spec[name] = value
	}
	return s.call(t, http.MethodPost, "/v1/bookings", s.key, spec)
}

func TestLength_OfDays_IsBookedAndMovedAsOneOfMinutes(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service, _ := s.rental(t,
		object{"durations": []object{{"minutes": 120}, {"days": 1, "price": 20000}, {"days": 2, "price": 30000}}})
	p := s.signedIn(t, "ada", user.RoleStaff)
	form := s.at(t, p, "/book?service="+service).Form(t, "See what it comes to").
		With("date", testtime.Date(0).String()).With("time", "09:00")
	require.Equal(t, "120", form.Values.Get("length"), "the shortest one")
	offer := form.With("length", "d1").With("party", "1").Submit(t)
	require.Contains(t, offer.Text(), "Price €200")
	made := offer.Form(t, "Book").With("name", "Grace").With("email", "grace@example.com").Submit(t)
	require.Contains(t, made.Text(), "The booking is made.")
	list := s.call(t, http.MethodGet, "/v1/bookings", s.key, nil)["data"].([]any)
	booked := list[0].(object)
	require.Equal(t, tourAt(t, 1, 9).Format(time.RFC3339), booked["ends_at"])

	move := s.at(t, p, "/bookings/"+booked["id"].(string)+"/move")
	again := move.Form(t, "See what it comes to")
	require.Equal(t, "d1", again.Values.Get("length"))
	moved := again.With("date", testtime.Date(3).String()).Submit(t).Press(t, "Move it")
	require.Contains(t, moved.Text(), "The booking is moved.")
	require.Equal(t, tourAt(t, 4, 9).Format(time.RFC3339), s.booking(t, booked["id"])["ends_at"])
	back := moved.Follow(t, "Undo").Press(t, "Move it")
	require.Contains(t, back.Text(), "The booking is moved.")
	require.Equal(t, booked["ends_at"], s.booking(t, booked["id"])["ends_at"])

	longer := s.at(t, p, "/bookings/"+booked["id"].(string)+"/move").Form(t, "See what it comes to").With("length",
		"d2").Submit(t)
	require.Contains(t, longer.Text(), "By today’s prices it is €300")
	dragged := s.at(t, p,
		"/bookings/"+booked["id"].(string)+"/move?date="+testtime.Date(0).String()+"&time=09:00&until="+
			url.QueryEscape(testtime.Date(2).String()+"T09:00"))
	require.Contains(t, dragged.Text(), "By today’s prices it is €300",
		"an edge that was dragged to the same time of day")
}

func TestLength_OfMinutes_IsThatOfTheEdgeWhichWasDragged(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service, _ := s.rental(t, object{
		"min_duration_minutes": 60, "max_duration_minutes": 600, "duration_step_minutes": 60, "price_per_minutes": 60,
		"price": 1000,
	})
	made := s.rent(t, service, tourAt(t, 0, 10), object{"duration_minutes": 60})
	p := s.signedIn(t, "ada", user.RoleStaff)
	move := "/bookings/" + made["id"].(string) + "/move?time=10:00&date=" + testtime.Date(0).String()
	require.Contains(t, s.at(t, p, move+"&until="+testtime.Date(0).String()+"T13:00").Text(),
		"By today’s prices it is €30")
	for _, until := range []string{"T10:00", "T09:00", "T13:07"} {
		refused := s.at(t, p, move+"&until="+testtime.Date(0).String()+until)
		require.NotContains(t, refused.Text(), "Move it for", until)
		require.Less(t, refused.Status, http.StatusInternalServerError, until)
	}
	for _, length := range []string{"d9", "d", "x", "-1", "99999999999"} {
		require.Equal(t, http.StatusUnprocessableEntity, s.at(t, p, move+"&length="+length).Status, length)
	}
}

// changeOf returns the first date from testtime on which clocks in Berlin show 02:30 so many times.
func changeOf(t testing.TB, times int) civil.Date {
	t.Helper()
	for day := 10; day < 400; day++ {
		if d := testtime.Date(day); len(datetime.MomentsOf(d, 150, berlin(t))) == times {
			return d
		}
	}
	require.Fail(t, "clocks don't change")
	return civil.Date{}
}

func TestMove_InTheHourThatIsRepeated_KeepsTheMoment_AndCanNameTheOther(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service, boats := s.rental(t, object{"duration_minutes": 30})
	day := changeOf(t, 2)
	both := datetime.MomentsOf(day, 150, berlin(t))
	p := s.signedIn(t, "ada", user.RoleStaff)
	for i, at := range both {
		made := s.rent(t, service, at, nil)
		id := made["id"].(string)
		other := boats[0]
		if made["resource_id"] == other {
			other = boats[1]
		}
		move := "/bookings/" + id + "/move?date=" + day.String() + "&time=02:30&resource=" + other
		dragged := s.at(t, p, move)
		require.Equal(t, at.Format("-07:00"), dragged.Form(t, "See what it comes to").Values.Get("offset"))
		moved := dragged.Press(t, "Move it")
		require.Contains(t, moved.Text(), "The booking is moved.")
		now := s.booking(t, id)
		require.Equal(t, at.Format(time.RFC3339), now["starts_at"], "to the other boat at the same moment")
		require.Equal(t, other, now["resource_id"])
		later := s.at(t, p, "/bookings/"+id+"/move").Form(t, "See what it comes to").With("offset",
			both[1-i].Format("-07:00")).Submit(t)
		require.Contains(t, later.Press(t, "Move it").Text(), "The booking is moved.")
		require.Equal(t, both[1-i].Format(time.RFC3339), s.booking(t, id)["starts_at"])
		s.call(t, http.MethodPost, "/v1/bookings/"+id+"/cancel", s.key, object{})
	}
	made := s.rent(t, service, both[0].AddDate(0, 0, -1), nil)
	into := s.at(t, p, "/bookings/"+made["id"].(string)+"/move?time=02:30&date="+day.String())
	require.Contains(t, into.Text(), "Which of the two")
	require.Equal(t, both[0].Format("-07:00"), into.Form(t, "See what it comes to").Values.Get("offset"),
		"the first one")
	book := s.at(t, p, "/book?service="+service+"&quote=1&party=1&time=02:30&date="+day.String()+"&offset="+
		url.QueryEscape(both[1].Format("-07:00")))
	booked := book.Form(t, "Book").With("name", "Ada").With("email", "ada@example.com").Submit(t)
	require.Contains(t, booked.Text(), datetime.Clock(both[1]))
	skipped := s.at(t, p, "/bookings/"+made["id"].(string)+"/move?time=02:30&date="+changeOf(t, 0).String())
	require.Contains(t, skipped.Text(), "Clocks skip this time")
}

func TestBlock_FromAndUntilTheHourThatIsRepeated_TakesAllOfIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	boat := s.resource(t, "Boat", 1)
	day := changeOf(t, 2)
	both := datetime.MomentsOf(day, 150, berlin(t))
	p := s.signedIn(t, "ada", user.RoleOwner)
	for _, c := range []struct {
		from, until  string
		starts, ends time.Time
	}{
		{"02:30", "05:00", both[0], datetime.MomentsOf(day, 300, berlin(t))[0]},
		{"01:00", "02:30", datetime.MomentsOf(day, 60, berlin(t))[0], both[1]},
	} {
		form := s.at(t, p, "/blocks/new").Form(t, "Block the time").With("resource_id", boat).
			With("starts_at", day.String()+"T"+c.from).With("ends_at", day.String()+"T"+c.until)
		require.Contains(t, form.Submit(t).Text(), "The time is blocked.", c.from)
		block := s.call(t, http.MethodGet, "/v1/blocks", s.key, nil)["data"].([]any)[0].(object)
		require.Equal(t, c.starts.Format(time.RFC3339), block["starts_at"], c.from)
		require.Equal(t, c.ends.Format(time.RFC3339), block["ends_at"], c.from)
		s.call(t, http.MethodPost, "/v1/blocks/"+block["id"].(string)+"/archive", s.key, object{})
	}
}

func TestCalendar_DraggedOverAChangeOfClocks_KeepsItsLengthAndTellsThePrice(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service, _ := s.rental(t, object{
		"min_duration_minutes": 60, "max_duration_minutes": 600, "duration_step_minutes": 60, "price_per_minutes": 60,
		"price": 1000,
	})
	spring := changeOf(t, 0)
	at := datetime.MomentsOf(spring.AddDays(-1), 22*60, berlin(t))[0]
	made := s.rent(t, service, at, object{"duration_minutes": 300}) // until 04:00 by the clock
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	b.Open(t, s.url+"/console/harbour/calendar?view=dayGridMonth&date="+spring.AddDays(-1).String())
	from := centre(t, b, ".ec-event")
	week := pagetest.Value(t, b,
		chromedp.Evaluate[float64](`document.querySelector("#calendar .ec-day").getBoundingClientRect().height`))
	b.Drag(t, from, pagetest.Point{X: from.X, Y: from.Y - week})
	b.Run(t, chromedp.WaitVisible(chromedp.CSS("dialog .offer")))
	require.Contains(t, b.Text(t, "dialog"), "The price stays €50")
	b.Press(t, "Move it")
	require.Eventually(t, func() bool {
		now, starts := s.booking(t, made["id"]), at.AddDate(0, 0, -7)
		return now["starts_at"] == starts.Format(time.RFC3339) &&
			now["ends_at"] == starts.Add(5*time.Hour).Format(time.RFC3339)
	}, patient, poll)
}

func TestCalendar_Month_ShowsTheNumbersOfItsDays_AndLetsNoEdgeOfATimeBeDragged(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service, _ := s.rental(t,
		object{"min_duration_minutes": 60, "max_duration_minutes": 600, "duration_step_minutes": 60})
	s.rent(t, service, tourAt(t, 0, 22), object{"duration_minutes": 240})
	b := s.browser(t, pagetest.Desktop, user.RoleStaff)
	calendar := s.url + "/console/harbour/calendar?date=" + testtime.Date(0).String() + "&view="
	const edges = `[...document.querySelectorAll(".ec-event .ec-resizer")].filter(e => getComputedStyle(e).display !== "none").length`
	b.Open(t, calendar+"dayGridMonth")
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(".ec-event")))
	numbers := pagetest.Value(t, b, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll("#calendar .ec-day-head [aria-hidden]")].filter(e => e.offsetWidth).map(e => e.textContent)`))
	require.GreaterOrEqual(t, len(numbers), 28)
	require.Contains(t, numbers, testtime.Date(0).In(time.UTC).Format("2"))
	require.Zero(t, pagetest.Value(t, b, chromedp.Evaluate[int](edges)), "the library fails on it")
	b.Open(t, calendar+"timeGridWeek")
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(".ec-event")))
	require.NotZero(t, pagetest.Value(t, b, chromedp.Evaluate[int](edges)))
}

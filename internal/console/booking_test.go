package console_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/timezone"
	"holdfast/internal/user"
)

// berlin is where the tenant is.
func berlin(t testing.TB) *time.Location {
	t.Helper()
	loc, err := timezone.Load("Europe/Berlin")
	require.NoError(t, err)
	return loc
}

// tourAt is a time of a day from testtime at which the tour can be booked.
func tourAt(t testing.TB, day, hour int) time.Time {
	t.Helper()
	return testtime.At(day, hour, 0, berlin(t))
}

func TestBooking_ShowsWhatBelongsToIt(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, object{"deposit": 1000}), tourAt(t, 0, 10))
	s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/payments", s.key,
		object{"kind": "deposit", "payment_method": "pm_ok"})
	p := s.at(t, s.signedIn(t, "ada", user.RoleRead), "/bookings/"+made["id"].(string))
	for _, words := range []string{
		"Grace Hopper", "grace@example.com", "+49 40 1234", "Harbour tour", "Boat 1", "2 × Harbour tour", "€90",
		"Payment · Succeeded",
		"€10",
		"Due €80", "Booking created", "Payment succeeded", "API key",
	} {
		require.Contains(t, p.Text(), words)
	}
	require.NotContains(t, p.Raw, s.url+"/booking/", "whoever has the customer's link can change the booking")
	require.NotContains(t, p.Text(), "Nobody came", "the role lets look, and nothing else")
}

func TestBooking_CustomersLink_IsShownToWhoMayChangeTheBooking(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	path := "/bookings/" + s.book(t, s.tour(t, nil), tourAt(t, 0, 10))["id"].(string)
	staff := s.signedIn(t, "grace", user.RoleStaff)
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"booking_page": object{"enabled": true}})
	require.Contains(t, s.at(t, staff, path).Raw, s.url+"/booking/")
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"booking_page": object{"enabled": false}})
	require.NotContains(t, s.at(t, staff, path).Raw, s.url+"/booking/", "there is no page to which it leads")
}

func TestBooking_Moved_ShowsTheDifferenceFirstAndNamesThePerson(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, nil)
	made := s.book(t, service, tourAt(t, 0, 10))
	s.call(t, http.MethodPatch, "/v1/services/"+service, s.key, object{"price": 6000})
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string)).Follow(t, "Move")
	offer := p.Form(t, "See what it comes to").With("date", testtime.Date(1).String()).With("time", "14:00").Submit(t)
	require.Contains(t, offer.Text(), "The price stays €90.")
	require.Contains(t, offer.Text(), "By today’s prices it is €120: €30 more.")
	require.Equal(t, made["starts_at"], s.booking(t, made["id"])["starts_at"], "nothing is moved yet")
	moved := offer.Press(t, "Move it for €120")
	require.Contains(t, moved.Text(), "The booking is moved.")
	after := s.booking(t, made["id"])
	require.Equal(t, testtime.At(1, 14, 0, berlin(t)).Format(time.RFC3339), after["starts_at"])
	require.EqualValues(t, 12000, after["price"])
	history := s.call(t, http.MethodGet, "/v1/bookings/"+made["id"].(string)+"/history", s.key, nil)["data"].([]any)
	require.Equal(t, "ada", history[len(history)-1].(object)["user"].(object)["name"])
	require.Contains(t, moved.Text(), "Booking rescheduled ada")
	s.call(t, http.MethodPatch, "/v1/services/"+service, s.key, object{"price": 4500})
	back := moved.Follow(t, "Undo").Press(t, "Move it for €90")
	require.Contains(t, back.Text(), "The booking is moved.")
	require.Equal(t, made["starts_at"], s.booking(t, made["id"])["starts_at"])
}

func TestBooking_MoveToWhatIsTaken_IsExplainedAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	hall := s.resource(t, "Hall", 1)
	service := s.call(t, http.MethodPost, "/v1/services", s.key, object{
		"name": "Hall", "kind": "slot", "resource_ids": []string{hall}, "duration_minutes": 60, "price": 100,
		"booking_window_days": 365,
	})["id"].(string)
	book := func(hour int) object {
		return s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
			"service_id": service, "starts_at": tourAt(t, 0, hour).Format(time.RFC3339),
			"customer": object{"name": "Grace Hopper", "email": "grace@example.com"},
		})
	}
	made := book(10)
	book(14)
	move := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string)+"/move")
	refused := move.Form(t, "See what it comes to").With("time", "14:00").Submit(t)
	require.Equal(t, http.StatusOK, refused.Status)
	require.NotContains(t, refused.Text(), "Move it")
	require.Contains(t, refused.Text(), "taken")

	offer := move.Form(t, "See what it comes to").With("time", "15:00").Submit(t)
	book(15) // somebody else, after the offer was shown
	lost := offer.Press(t, "Move it")
	require.Equal(t, http.StatusConflict, lost.Status)
	require.Equal(t, made["starts_at"], s.booking(t, made["id"])["starts_at"])
}

func TestBooking_ChangedMeanwhile_IsNotChangedUnseen(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string))
	cancel := p.Follow(t, "Cancel")
	s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/reschedule", s.key,
		object{"starts_at": tourAt(t, 2, 10).Format(time.RFC3339)})
	require.Equal(t, http.StatusPreconditionFailed, cancel.Press(t, "Cancel the booking").Status)
	require.Equal(t, "confirmed", s.booking(t, made["id"])["status"])
}

func TestBooking_Cancelled_WithTheFeeThatWasShown(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t,
		object{"cancellation_policy": object{"steps": []object{{"from_minutes": 60 * 24 * 300, "percent": 50}}}})
	made := s.book(t, service, tourAt(t, 0, 10))
	s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/payments", s.key,
		object{"kind": "balance", "payment_method": "pm_ok"})
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string)).Follow(t, "Cancel")
	require.Contains(t, p.Text(), "Fee by the policy €45 Refunded automatically €45")
	for shown, status := range map[string]int{"4499": http.StatusConflict, "": http.StatusBadRequest} {
		require.Equal(t, status, p.Form(t, "Cancel the booking").With("shown", shown).Submit(t).Status, shown)
	}
	require.Equal(t, "confirmed", s.booking(t, made["id"])["status"])
	done := p.Form(t, "Cancel the booking").With("reason", "Storm").Submit(t)
	require.Contains(t, done.Text(), "The booking is cancelled.")
	after := s.booking(t, made["id"])
	require.Equal(t, "cancelled", after["status"])
	require.EqualValues(t, 4500, after["cancellation_fee"])
	require.Equal(t, "Storm", after["cancellation_reason"])
	again := p.Form(t, "Cancel the booking").With("reason", "Storm").Submit(t)
	require.Equal(t, http.StatusOK, again.Status, "the same form again is the same request")
}

func TestBooking_Refund_ReturnsMoneyOnce(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/payments", s.key,
		object{"kind": "balance", "payment_method": "pm_ok"})
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string)).Follow(t, "Refund")
	form := p.Form(t, "Refund").With("amount", "12,50")
	for range 2 {
		require.Contains(t, form.Submit(t).Text(), "−€12.50")
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM payments WHERE refund_of IS NOT NULL AND amount = 1250"))
	for _, amount := range []string{"", "-1", "0", "1.234", "1e3", "99999999999999999999", "１２", "12.50 €", "1,2,3"} {
		p := s.at(t, p, "/bookings/"+made["id"].(string)).Follow(t, "Refund")
		require.Equal(t, http.StatusUnprocessableEntity, p.Form(t, "Refund").With("amount", amount).Submit(t).Status,
			amount)
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM payments WHERE refund_of IS NOT NULL"))
}

func TestNew_BooksForACustomer(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.tour(t, nil)
	p := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/book").Follow(t, "Harbour tour")
	offer := p.Form(t, "See what it comes to").With("date", testtime.Date(3).String()).With("time",
		"11:00").With("party", "3").Submit(t)
	require.Contains(t, offer.Text(), "€135")
	form := offer.Form(t, "Book").With("name", "Grace Hopper").With("email", "grace@example.com")
	booked := form.Submit(t)
	require.Contains(t, booked.Text(), "The booking is made.")
	require.Contains(t, booked.Text(), "Grace Hopper")
	require.Equal(t, booked.URL.Path, form.Submit(t).URL.Path, "the same form again is the same request")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM bookings WHERE party_size = 3 AND status = 'confirmed'"))
	today := s.at(t, booked, "?date="+testtime.Date(3).String())
	require.Contains(t, today.Text(), "1 booking, 3 people.")
	require.Contains(t, today.Text(), "11:00")
}

func TestBookings_AreFoundByCodeEmailAndReference(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	s.call(t, http.MethodPatch, "/v1/bookings/"+made["id"].(string), s.key, object{"reference": "4711"})
	p := s.signedIn(t, "ada", user.RoleRead)
	for _, text := range []string{made["code"].(string), "GRACE@example.com", "4711"} {
		require.Contains(t, s.at(t, p, "/bookings?q="+text).Text(), "Grace Hopper", text)
	}
	for _, query := range []string{"q=nothing", "status=cancelled", "from=2099-01-01", "to=2020-01-01"} {
		require.NotContains(t, s.at(t, p, "/bookings?"+query).Text(), "Grace Hopper", query)
	}
}

func TestRoles_LetDoWhatTheSameScopesLetAPIKeysDo(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	made := s.book(t, s.tour(t, nil), tourAt(t, 0, 10))
	id := "/bookings/" + made["id"].(string)
	pages := map[user.Role]*pagetest.Page{}
	for _, role := range user.Roles() {
		pages[role] = s.signedIn(t, string(role), role)
	}
	for _, test := range []struct {
		path string
		may  []user.Role
	}{
		{"", user.Roles()},
		{"/bookings", user.Roles()},
		{id, user.Roles()},
		{id + "/move", []user.Role{user.RoleOwner, user.RoleStaff}},
		{id + "/end/cancel", []user.Role{user.RoleOwner, user.RoleStaff}},
		{"/book", []user.Role{user.RoleOwner, user.RoleStaff}},
		{"/users", []user.Role{user.RoleOwner}},
	} {
		for role, p := range pages {
			want := http.StatusForbidden
			for _, may := range test.may {
				if may == role {
					want = http.StatusOK
				}
			}
			require.Equal(t, want, s.at(t, p, test.path).Status, "%s at %s", role, test.path)
		}
	}
	for _, path := range []string{id + "/confirm", id + "/complete", id + "/new-link", id + "/end/cancel", id + "/move",
		"/book",
		"/users"} {
		p := pages[user.RoleRead]
		form := tokenOf(t, p)
		require.Equal(t, http.StatusForbidden,
			p.By.Send(t, http.MethodPost, s.url+"/console/harbour"+path, form).Status, path)
	}
	require.Equal(t, "confirmed", s.booking(t, made["id"])["status"])
}

func TestBooking_WhatEndpointsWereTold_IsShown(t *testing.T) {
	t.Parallel()
	e := equip(t, "Harbour tour")
	made := e.book(t, e.service, tourAt(t, 0, 10))
	e.exec(t, `UPDATE scheduled_events SET occurrence = (SELECT change_id::text FROM changes WHERE subject_id = $2)
		WHERE event_id = $1`, uuid.MustParse(e.delivery), uuid.MustParse(made["id"].(string)))
	page := e.at(t, e.signedIn(t, "ada", user.RoleOwner), "/bookings/"+made["id"].(string))
	require.Contains(t, page.Text(), "Webhooks webhook.ping dead")
	require.Equal(t, http.StatusOK, page.Follow(t, "webhook.ping").Status)
	require.Contains(t, e.at(t, e.signedIn(t, "eve", user.RoleRead), "/bookings/"+made["id"].(string)).Text(),
		"webhook.ping")
}

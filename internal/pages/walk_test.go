package pages_test

import (
	"testing"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

// walk opens each page in each state that people see, and calls look there.
func walk(t *testing.T, d pagetest.Device, look pagetest.Look) {
	t.Helper()
	s := newSite(t, object{
		"introduction": "Tours of the harbour since 1987.\nAlso for groups.", "contact": "Pier 7, Hamburg\n+49 40 1234",
		"terms": "We sail in any weather but storm.\n\nChildren wear life jackets.",
	})
	s.tour(t, 10, object{
		"description": "An hour on the water, with coffee.", "deposit": 1000,
		"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50},
			{"from_minutes": 1440, "percent": 100}}},
	})
	hall := s.resource(t, "Hall", 1)
	s.service(t, object{"name": "Wedding day", "kind": "date", "resource_ids": []string{hall}, "price": 250000,
		"booking_window_days": 365})
	s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 4)}, "price": 9000,
		"check_in":  "15:00",
		"check_out": "10:00", "min_nights": 2, "max_nights": 5, "booking_window_days": 365,
		"unit_types": []object{
			{"key": "adult", "name": "Adult", "price": 2500, "counts": true},
			{"key": "dog", "name": "Dog", "price": 500, "counts": false},
		},
	})
	date := testtime.Date(5)
	b := pagetest.NewBrowser(t, d)
	book := s.url + "/book/" + s.slug
	b.Open(t, book)
	look(b, "services")
	b.Open(t, book+"/terms")
	look(b, "terms")
	b.Open(t, book)
	b.Press(t, "Wedding day")
	wedding := b.Location(t)
	b.Open(t, wedding+"?date="+date.String())
	look(b, "date")
	b.Open(t, book)
	b.Press(t, "Cabin")
	b.Open(t, b.Location(t)+"?date="+date.String()+"&nights=3&party.adult=2&party.dog=1")
	look(b, "stay")
	b.Open(t, book)
	b.Press(t, "Harbour tour")
	tour := b.Location(t)
	b.Open(t, tour+slotQuery(date, 2))
	look(b, "slots")
	b.Open(t, tour+slotQuery(date, 2)+"&taken=rate_limited")
	look(b, "slots-refused")
	b.Open(t, tour+slotQuery(date, 2))
	b.Click(t, `button[value*="T10:00"]`)
	look(b, "details")
	own := b.Location(t)
	b.Open(t, tour+slotQuery(date, 2))
	look(b, "own-hold")
	b.Press(t, "Go on with it")
	b.Press(t, "Continue to payment")
	look(b, "details-wrong")
	b.Fill(t, "name", "Ada Lovelace")
	b.Fill(t, "email", "ada@example.com")
	b.Check(t, "terms")
	b.Press(t, "Continue to payment")
	b.Await(t, pagetest.PaymentPage)
	b.Press(t, "Go back without paying")
	look(b, "payment-open")
	b.Open(t, own+"?looks=5&payment_id="+paymentOf(t, s))
	look(b, "payment-slow")
	b.Press(t, "Go to the payment page")
	b.Press(t, "Pay")
	b.Await(t, "You are booked")
	b.Open(t, own)
	look(b, "booked")
	b.Press(t, "Receipt")
	look(b, "receipt")
	b.Open(t, own+"/move?date="+date.AddDays(1).String())
	b.Click(t, `button[value*="T11:00"]`)
	look(b, "move")
	b.Open(t, own+"/cancel")
	look(b, "cancel")
	b.Press(t, "Cancel the booking")
	b.Await(t, "The booking is cancelled")
	look(b, "cancelled")
	b.Open(t, s.url+"/booking/nonsense")
	look(b, "failure")
}

// paymentOf returns the id of the site's only payment.
func paymentOf(t testing.TB, s *site) string {
	t.Helper()
	return s.payments(t)[0].(object)["id"].(string)
}

func TestPages_EachState_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walk(t, pagetest.Desktop,
		func(b *pagetest.Browser, name string) { b.RequireAccessible(t, name, pagetest.Everywhere()...) })
}

func TestPages_Pictures(t *testing.T) {
	t.Parallel()
	pagetest.TakePictures(t, walk)
}

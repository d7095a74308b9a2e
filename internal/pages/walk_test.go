package pages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// picturesVariable is the directory to which TestPages_LookAtThem writes pictures. make pictures sets it.
const picturesVariable = "HOLDFAST_TEST_PICTURES"

// walk opens each page in each state that people see, and calls look there.
func walk(t *testing.T, d device, look func(b *browser, name string)) {
	t.Helper()
	s := newSite(t, object{
		"introduction": "Tours of the harbour since 1987.\nAlso for groups.", "contact": "Pier 7, Hamburg\n+49 40 1234",
		"terms": "We sail in any weather but storm.\n\nChildren wear life jackets.",
	})
	s.tour(t, 10, object{
		"description": "An hour on the water, with coffee.", "deposit": 1000,
		"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50}, {"from_minutes": 1440, "percent": 100}}},
	})
	hall := s.resource(t, "Hall", 1)
	s.service(t, object{"name": "Wedding day", "kind": "date", "resource_ids": []string{hall}, "price": 250000, "booking_window_days": 365})
	s.service(t, object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{s.resource(t, "Cabin", 4)}, "price": 9000, "check_in": "15:00",
		"check_out": "10:00", "min_nights": 2, "max_nights": 5, "booking_window_days": 365,
		"unit_types": []object{
			{"key": "adult", "name": "Adult", "price": 2500, "counts": true}, {"key": "dog", "name": "Dog", "price": 500, "counts": false},
		},
	})
	date := testtime.Date(5)
	b := newBrowser(t, d)
	book := s.url + "/book/" + s.slug
	b.open(t, book)
	look(b, "services")
	b.open(t, book+"/terms")
	look(b, "terms")
	b.open(t, book)
	b.press(t, "Wedding day")
	wedding := b.location(t)
	b.open(t, wedding+"?date="+date.String())
	look(b, "date")
	b.open(t, book)
	b.press(t, "Cabin")
	b.open(t, b.location(t)+"?date="+date.String()+"&nights=3&party.adult=2&party.dog=1")
	look(b, "stay")
	b.open(t, book)
	b.press(t, "Harbour tour")
	tour := b.location(t)
	b.open(t, tour+slotQuery(date, 2))
	look(b, "slots")
	b.click(t, `button[value*="T10:00"]`)
	look(b, "details")
	b.press(t, "Continue to payment")
	look(b, "details-wrong")
	b.fill(t, "name", "Ada Lovelace")
	b.fill(t, "email", "ada@example.com")
	b.check(t, "terms")
	b.press(t, "Continue to payment")
	look(b, "payment-open")
	own := b.location(t)
	b.press(t, "Go to the payment page")
	b.press(t, "Pay")
	b.await(t, "You are booked")
	b.open(t, own)
	look(b, "booked")
	b.press(t, "Receipt")
	look(b, "receipt")
	b.open(t, own+"/move?date="+date.AddDays(1).String())
	b.click(t, `button[value*="T11:00"]`)
	look(b, "move")
	b.open(t, own+"/cancel")
	look(b, "cancel")
	b.press(t, "Cancel the booking")
	b.await(t, "The booking is cancelled")
	look(b, "cancelled")
	b.open(t, s.url+"/booking/nonsense")
	look(b, "failure")
}

func TestPages_EachState_FollowsWCAG(t *testing.T) {
	t.Parallel()
	walk(t, desktop, func(b *browser, name string) {
		b.requireAccessible(t, name, desktop, phone,
			device{name: "phone, dark", width: phone.width, height: phone.height, dark: true},
			device{name: "desktop, dark", width: desktop.width, height: desktop.height, dark: true},
			device{name: "a small window at 200%", width: 320, height: 512},
		)
	})
}

func TestPages_Pictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		t.Skip("make pictures asks for pictures")
	}
	for _, d := range []device{phone, desktop} {
		d.zone = "Europe/Berlin"
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			walk(t, d, func(b *browser, name string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-"+d.name+".png"), b.picture(t), 0o644))
			})
		})
	}
}

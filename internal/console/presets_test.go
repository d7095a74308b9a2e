package console_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// newest returns the newest thing of a list of the API.
func (s *business) newest(t testing.TB, path string) object {
	t.Helper()
	list := s.call(t, http.MethodGet, path, s.key, nil)["data"].([]any)
	require.NotEmpty(t, list)
	return list[len(list)-1].(object)
}

// fill fills in fields of a form.
func fill(form *pagetest.Form, typed url.Values) *pagetest.Form {
	for name, values := range typed {
		form = form.With(name, "")
		form.Values[name] = values
	}
	return form
}

func TestNewService_OfEachPreset_TakesWhatThePersonTypes(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	require.Contains(t, s.at(t, p, "/services/new").Text(), "First add what people book")
	boat := s.resource(t, "Gavina", 8)
	chosen := s.at(t, p, "/services/new")
	require.NotContains(t, chosen.Text(), "First add what people book")
	for key, c := range map[string]struct {
		typed url.Values
		want  object
	}{
		"tour": {
			url.Values{"name": {"Sunset tour"}, "duration_minutes": {"120"}, "start_times.0.at": {"19"}, "price": {"45"},
				"min_party_size": {"2"}, "deposit_percent": {"20"}},
			object{"kind": "slot", "occupies": "session", "price_per": "unit", "price": 4500.0, "min_party_size": 2.0,
				"start_times": []any{object{"at": []any{"19:00"}}}, "deposit_percent": 20.0},
		},
		"class": {
			url.Values{"name": {"Yoga"}, "duration_minutes": {"75"}, "price": {"15"},
				"start_times.0.at": {"18"}, "start_times.0.weekdays": {"monday"},
				"start_times.1.at": {"7, 9:30"}, "start_times.1.weekdays": {"thursday"}},
			object{"occupies": "session", "start_times": []any{
				object{"at": []any{"18:00"}, "weekdays": []any{"monday"}},
				object{"at": []any{"07:00", "09:30"}, "weekdays": []any{"thursday"}},
			}},
		},
		"charter": {
			url.Values{"name": {"Charter"}, "durations.0.minutes": {"240"}, "durations.0.price": {"420"}},
			object{"occupies": "whole", "price": 0.0, "slot_interval_minutes": 60.0,
				"durations": []any{object{"minutes": 240.0, "price": 42000.0}}},
		},
		"appointment": {
			url.Values{"name": {"Cut"}, "duration_minutes": {"45"}, "price": {"30"}, "buffer_after_minutes": {"10"}},
			object{"kind": "slot", "occupies": "units", "buffer_after_minutes": 10.0},
		},
		"room": {
			url.Values{"name": {"Double room"}, "min_nights": {"2"}, "price": {"90"}},
			object{"kind": "stay", "occupies": "whole", "check_in": "15:00", "check_out": "10:00", "min_nights": 2.0},
		},
		"rental": {
			url.Values{"name": {"Bicycle"}, "price": {"25"}, "starts": {"09:00"}, "ends": {"18:00"}},
			object{"kind": "date", "starts": "09:00", "ends": "18:00"},
		},
	} {
		page := s.at(t, p, "/services/new?preset="+key)
		form := fill(page.Form(t, "Add the service"), c.typed).With("resource_ids."+boat, "1000")
		made := form.Submit(t)
		require.Equal(t, http.StatusOK, made.Status, "%s: %s", key, made.Text())
		require.Contains(t, made.Text(), "It is added.", key)
		shown := s.newest(t, "/v1/services")
		for field, want := range c.want {
			require.Equal(t, want, shown[field], "%s: %s", key, field)
		}
		require.Equal(t, []any{boat}, shown["resource_ids"], key)

		require.Contains(t, chosen.Raw, "?preset="+key)
		refused := fill(s.at(t, p, "/services/new?preset="+key).Form(t, "Add the service"), c.typed).Submit(t)
		require.Equal(t, c.typed.Get("name"), refused.Form(t, "Add the service").Values.Get("name"),
			"%s: without a resource it is shown again, as it was", key)
	}
}

func TestServicePrices_BySeasonAndWeekday_AreRowsOfTheForm(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	tour := s.tour(t, object{"price_per": "booking", "unit_types": []object{
		{"key": "child", "name": "Child", "price": 1000, "counts": true},
	}})
	p := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/services/"+tour+"/change")
	saved := fill(p.Form(t, "Save"), url.Values{
		"rates.0.price": {"60"}, "rates.0.weekdays": {"saturday", "sunday"}, "rates.0.unit_prices.child": {"12.50"},
		"rates.1.price": {"80"}, "rates.1.from": {"2027-07-01"}, "rates.1.to": {"2027-08-31"},
	}).Submit(t)
	require.Contains(t, saved.Text(), "The change is saved.")
	want := []any{
		object{"price": 6000.0, "weekdays": []any{"saturday", "sunday"}, "unit_prices": object{"child": 1250.0}},
		object{"price": 8000.0, "from": "2027-07-01", "to": "2027-08-31"},
	}
	require.Equal(t, want, s.call(t, http.MethodGet, "/v1/services/"+tour, s.key, nil)["rates"])
	again := s.at(t, p, "/services/"+tour+"/change").Form(t, "Save")
	require.Equal(t, "12.50", again.Values.Get("rates.0.unit_prices.child"))
	require.Equal(t, http.StatusOK, again.Submit(t).Status)
	require.Equal(t, want, s.call(t, http.MethodGet, "/v1/services/"+tour, s.key, nil)["rates"])
}

func TestBlock_EachWeekUntilADate_IsTakenWithoutARule(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	boat := s.resource(t, "Gavina", 8)
	p := s.signedIn(t, "ada", user.RoleOwner)
	monday := testtime.Date(28)
	typed := url.Values{
		"resource_id": {boat}, "from": {monday.String()}, "to": {monday.String()}, "reason": {"Service"},
		"repeat.each": {"WEEKLY"}, "repeat.until": {monday.AddDays(21).String()},
	}
	made := fill(s.at(t, p, "/blocks/new").Form(t, "Block the time"), typed).Submit(t)
	require.Equal(t, http.StatusOK, made.Status, made.Text())
	block := s.newest(t, "/v1/blocks")
	require.Len(t, block["times"], 4)
	shown := s.at(t, p, "/blocks/"+block["id"].(string)).Form(t, "Save")
	require.Equal(t, []string{"WEEKLY", monday.AddDays(21).String(), ""}, []string{shown.Values.Get("repeat.each"),
		shown.Values.Get("repeat.until"), shown.Values.Get("rrule")})
	saved := shown.With("repeat.interval", "2").Submit(t)
	require.Equal(t, http.StatusOK, saved.Status, saved.Text())
	require.Len(t, s.newest(t, "/v1/blocks")["times"], 2)

	typed.Set("repeat.until", "")
	refused := fill(s.at(t, p, "/blocks/new").Form(t, "Block the time"), typed).Submit(t)
	require.Contains(t, refused.Text(), "Say until when it repeats, or how many times.")
}

func TestToday_NothingIsSetUpYet_SaysWhatToDoUntilPeopleCanBook(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	p := s.signedIn(t, "ada", user.RoleOwner)
	done := func() int { return strings.Count(s.at(t, p, "").Raw, `<li class="done">`) }
	require.Contains(t, s.at(t, p, "").Text(), "Until people can book")
	require.Zero(t, done())
	boat := s.call(t, http.MethodPost, "/v1/resources", s.key, object{"name": "Gavina", "capacity": 8})["id"].(string)
	require.Equal(t, 1, done())
	s.call(t, http.MethodPost, "/v1/services", s.key, object{"name": "Day", "kind": "date", "price": 100,
		"resource_ids": []string{boat}})
	require.Equal(t, 2, done())
	require.NotContains(t, s.at(t, s.signedIn(t, "ben", user.RoleStaff), "").Text(), "Until people can book")
	s.call(t, http.MethodPut, "/v1/resources/"+boat+"/hours", s.key, object{"always_open": true})
	require.Equal(t, 3, done())
	require.NotContains(t, s.at(t, p, "/settings").Text(), "Share your booking page")
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"booking_page": object{"enabled": true}})
	require.NotContains(t, s.at(t, p, "").Text(), "Until people can book")
	require.Contains(t, s.at(t, p, "").Text(), "Nothing is booked on this day.")
}

func TestSettings_BookingPageIsOn_LinkCodeAndFrameAreThere(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, object{"booking_page": object{"enabled": true},
		"name": `Ada & "Ben" <Boats>`})
	page := s.at(t, s.signedIn(t, "ada", user.RoleOwner), "/settings")
	link := s.url + "/book/harbour"
	require.Contains(t, page.Text(), link)
	require.Contains(t, page.Raw, `<svg class="qr"`)
	require.Contains(t, html.UnescapeString(page.Raw),
		`<iframe src="`+link+`" title="Ada &amp; &#34;Ben&#34; &lt;Boats&gt;"`)
	require.Equal(t, "#0b5cad", page.Form(t, "Save the settings").Values.Get("booking_page.colour"))
}

package httpapi_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestInvalid_CombinationsThatMakeNoSense_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	invalid := func(name, method, path string, body any, field, reason string) refusal {
		return refusal{
			name:   name,
			method: method,
			path:   path,
			body:   body,
			status: http.StatusUnprocessableEntity,
			code:   problem.ValidationFailed,
			field:  field,
			reason: reason,
		}
	}
	hours := func(name string, body object, field, reason string) refusal {
		return invalid(name, http.MethodPut, "/v1/resources/"+f.resource.String()+"/hours", body, field, reason)
	}
	monday := func(opens, closes string) object {
		return object{"weekday": "monday", "opens": opens, "closes": closes}
	}
	weekly := func(periods ...any) object { return object{"weekly": periods} }
	seasons := func(from, to string, periods ...any) object {
		return object{"weekly": []any{},
			"seasons": []any{object{"from": from, "to": to, "weekly": append([]any{}, periods...)}}}
	}
	override := func(opens, closes string) object {
		return object{"date": future(0).String(), "opens": opens, "closes": closes}
	}
	overrides := func(list ...any) object { return object{"always_open": true, "overrides": list} }
	closed := object{"date": future(0).String(), "closed": true}
	booking := func(name string, body object, field, reason string) refusal {
		return invalid(name, http.MethodPost, "/v1/bookings", body, field, reason)
	}
	service := func(name string, changes object, field, reason string) refusal {
		body := object{"name": "Tour", "kind": "slot", "resource_ids": []any{f.resource.String()},
			"duration_minutes": 60, "price": 4500}
		for name, v := range changes {
			if body[name] = v; v == nil {
				delete(body, name)
			}
		}
		return invalid(name, http.MethodPost, "/v1/services", body, field, reason)
	}
	// needs returns a service's needs, and what else of it changes, in place of its resources.
	needs := func(list ...object) object {
		changes := object{"resource_ids": nil}
		var all []any
		for _, o := range list {
			if _, is := o["resource_ids"]; is {
				all = append(all, o)
				continue
			}
			maps.Copy(changes, o)
		}
		changes["needs"] = all
		return changes
	}
	closure := func(name string, with object, field, reason string) refusal {
		body := object{"from": future(0).String(), "to": future(0).String()}
		maps.Copy(body, with)
		return invalid(name, http.MethodPost, "/v1/closures", body, field, reason)
	}
	slot := at(future(1), 10, 0)
	requireRefused(t, f.client, []refusal{
		hours("nothing", object{}, "weekly", "required"),
		hours("always open said to be false", object{"always_open": false}, "weekly", "required"),
		hours("overrides alone", object{"overrides": []any{closed}}, "weekly", "required"),
		hours("always open with weekly hours", object{"always_open": true, "weekly": []any{monday("09:00", "18:00")}},
			"always_open",
			"excluded"),
		hours("always open and closed", object{"always_open": true, "weekly": []any{}}, "always_open", "excluded"),
		hours("weekly hours that overlap over midnight",
			weekly(monday("22:00", "02:00"), object{"weekday": "tuesday", "opens": "01:00", "closes": "05:00"}),
			"weekly[1]", "overlap"),
		hours("weekly hours that overlap over the end of the week",
			weekly(object{"weekday": "sunday", "opens": "01:00", "closes": "05:00"},
				object{"weekday": "saturday", "opens": "22:00", "closes": "02:00"}), "weekly[1]", "overlap"),
		hours("overrides that overlap over midnight",
			overrides(override("22:00", "02:00"),
				object{"date": future(1).String(), "opens": "01:00", "closes": "05:00"}), "overrides[1]",
			"overlap"),
		hours("an override of no length", overrides(override("00:00", "00:00")), "overrides[0].closes",
			"not_after_opens"),
		hours("opens when it closes", weekly(monday("09:00", "09:00")), "weekly[0].closes", "not_after_opens"),
		hours("weekly hours that overlap", weekly(monday("09:00", "12:00"), monday("11:59", "13:00")), "weekly[1]",
			"overlap"),
		hours("weekly hours given twice", weekly(monday("09:00", "12:00"), monday("09:00", "12:00")), "weekly[1]",
			"overlap"),
		hours("overrides that overlap", overrides(override("09:00", "12:00"), override("11:00", "13:00")),
			"overrides[1]", "overlap"),
		hours("open and closed", overrides(override("09:00", "12:00"), closed), "overrides[1]", "overlap"),
		hours("closed and open", overrides(closed, override("09:00", "12:00")), "overrides[1]", "overlap"),
		hours("closed twice", overrides(closed, closed), "overrides[1]", "overlap"),
		hours("closed with hours",
			overrides(object{"date": future(0).String(), "closed": true, "opens": "09:00", "closes": "10:00"}),
			"overrides[0]", "invalid"),
		hours("neither closed nor hours", overrides(object{"date": future(0).String()}), "overrides[0]", "invalid"),
		hours("half of the hours", overrides(object{"date": future(0).String(), "opens": "09:00"}), "overrides[0]",
			"invalid"),

		hours("a season that ends before it begins", seasons("2027-08-31", "2027-06-01"), "seasons[0].to",
			"before_from"),
		hours("a season with one year", seasons("2027-06-01", "08-31"), "seasons[0].to", "invalid_format"),
		hours("a season from no date", seasons("02-30", "08-31"), "seasons[0].from", "invalid_format"),
		hours("a season of the year 0", seasons("0000-06-01", "0000-08-31"), "seasons[0].from", "out_of_range"),
		hours("a season with hours that overlap",
			seasons("06-01", "08-31", monday("09:00", "12:00"), monday("11:00", "13:00")),
			"seasons[0].weekly[1]", "overlap"),

		closure("a closure that ends before it starts", object{"from": future(1).String()}, "to", "before_from"),
		closure("a closure of no hours", object{"starts": "12:00", "ends": "12:00"}, "ends", "not_after_starts"),
		closure("a closure over midnight", object{"starts": "22:00", "ends": "02:00"}, "ends", "not_after_starts"),
		closure("a closure without its end", object{"starts": "22:00"}, "ends", "required"),
		closure("a closure without its beginning", object{"ends": "22:00"}, "starts", "required"),

		service("null resources", object{"resource_ids": nil}, "resource_ids", "required"),
		service("a resource given twice", object{"resource_ids": []any{f.resource.String(), f.resource.String()}},
			"resource_ids[1]",
			"duplicate"),
		service("resources and needs", object{"needs": []any{object{"resource_ids": []any{f.resource.String()}}}},
			"resource_ids",
			"excluded"),
		service("a resource in two needs", needs(object{"resource_ids": []any{f.resource.String()}},
			object{"resource_ids": []any{f.resource.String()}}), "needs[1].resource_ids[0]", "duplicate"),
		service("units of the first need", needs(object{"resource_ids": []any{f.resource.String()}, "units": 2}),
			"needs[0].units",
			"excluded"),
		service("joined until closing", needs(object{"resource_ids": []any{f.resource.String()}, "join": true},
			object{"until_closing": true, "duration_minutes": nil}), "needs[0].join", "excluded"),
		service("a joined session", needs(object{"resource_ids": []any{f.resource.String()}, "join": true},
			object{"occupies": "session"}), "needs[0].join", "excluded"),
		service("a slot service without a duration", object{"duration_minutes": nil}, "duration_minutes", "required"),
		service("a date service with a duration", object{"kind": "date"}, "duration_minutes", "not_for_kind"),
		service("a date service with slots",
			object{"kind": "date", "duration_minutes": nil, "slot_interval_minutes": 30},
			"slot_interval_minutes", "not_for_kind"),
		service("a deposit above the price", object{"price": 100, "deposit": 101}, "deposit", "too_large"),

		booking("resource_id and resource_ids", bookingOf(f.slots, slot, object{"resource_id": f.resource.String(),
			"resource_ids": []any{f.resource.String()}}), "resource_ids", "excluded"),
		booking("a resource named twice", bookingOf(f.slots, slot, object{
			"resource_ids": []any{f.resource.String(), f.resource.String()}}), "resource_ids", "not_unique"),
		booking("a date for a slot service", bookingOf(f.slots, future(1)), "date", "not_for_kind"),
		booking("a time for a date service", bookingOf(f.dates, slot), "starts_at", "not_for_kind"),
		booking("no time for a slot service", bookingOf(f.slots, nil), "starts_at", "required"),
		booking("no date for a date service", bookingOf(f.dates, nil), "date", "required"),
		booking("a time that no slot starts at", bookingOf(f.slots, slot.Add(60_000_000_000)), "starts_at",
			"not_a_slot"),
		booking("a fraction of a second", bookingOf(f.slots, strings.Replace(rfc3339(slot), ":00+", ":00.5+", 1)),
			"starts_at",
			"not_a_slot"),
		booking("a time that clocks skip",
			bookingOf(f.slots, nextChange(t, location(t, "Europe/Berlin"), true).String()+"T02:30:00+01:00"),
			"starts_at", "nonexistent_time"),
		booking("a time that clocks skip, in summer time",
			bookingOf(f.slots, nextChange(t, location(t, "Europe/Berlin"), true).String()+"T02:30:00+02:00"),
			"starts_at",
			"nonexistent_time"),
	})
}

func TestInvalid_DatesThatCannotBeBooked_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	outside := func(name string, body object) refusal {
		return refusal{
			name: name, method: http.MethodPost, path: "/v1/bookings", body: body,
			status: http.StatusUnprocessableEntity, code: problem.OutsideBookingWindow,
		}
	}
	date := func(name, d string) refusal {
		return outside("the date "+name, bookingOf(f.dates, nil, object{"date": d}))
	}
	slot := func(name, at string) refusal { return outside("the time "+name, bookingOf(f.slots, at)) }
	tooMany := func(name, method, path string, body any) refusal {
		return refusal{name: name, method: method, path: path, body: body, status: http.StatusUnprocessableEntity,
			code: problem.TooManyDates}
	}
	requireRefused(t, f.client, []refusal{
		date("long ago", future(-400).String()),
		date("in 1970", "1970-01-01"),
		date("in 1582", "1582-10-10"),
		date("in the year 1", "0001-01-01"),
		date("in the year 0", "0000-01-01"),
		date("in 9999", "9999-12-31"),
		date("in 9000", "9000-12-31"),
		date("in eleven years", future(366*11).String()),
		slot("long ago", rfc3339(at(future(-400), 10, 0))),
		slot("in 1883", "1883-11-18T12:00:00Z"),
		slot("in the year 1", "0001-01-01T00:00:00Z"),
		slot("in the year 0", "0000-01-01T00:00:00Z"),
		slot("before the year 0", "0000-01-01T00:00:00+23:59"),
		slot("in 9999", "9999-12-31T23:59:59Z"),
		slot("after 9999", "9999-12-31T23:59:59-23:59"),
		slot("in eleven years", rfc3339(at(future(366*11), 10, 0))),
		tooMany("a closure of 63 dates", http.MethodPost, "/v1/closures",
			object{"from": future(0).String(), "to": future(62).String()}),
		tooMany("a yearly closure of 63 dates", http.MethodPost, "/v1/closures", object{
			"from": future(0).String(), "to": future(62).String(), "yearly": true,
		}),
		tooMany("a block of 63 dates", http.MethodPost, "/v1/blocks", object{"resource_id": f.resource.String(),
			"from": future(0).String(), "to": future(62).String()}),
		tooMany("a block of centuries", http.MethodPost, "/v1/blocks", object{"resource_id": f.resource.String(),
			"starts_at": "1900-01-01T00:00:00Z", "ends_at": "8999-12-31T00:00:00Z"}),
		tooMany("a block of 62 times two dates", http.MethodPost, "/v1/blocks",
			object{"resource_id": f.resource.String(),
				"from": future(0).String(), "to": future(1).String(), "rrule": "FREQ=WEEKLY;COUNT=62"}),
		tooMany("a closure of centuries", http.MethodPost, "/v1/closures",
			object{"from": "1900-01-01", "to": "9000-12-31"}),
		tooMany("availability of 367 dates", http.MethodGet, availabilityPath(f.slots, future(0), future(366)), nil),
	})
	require.Equal(t, http.StatusOK, f.get(t, availabilityPath(f.slots, future(0), future(365))).status,
		"366 dates are not too many")
	f.newClosure(t, &f.resource, future(0), future(61))
}

func TestInvalid_CustomerWithCustomerID_SaysWhichToLeaveOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	both := bookingOf(f.slots, at(future(3), 10, 0), object{"customer_id": f.customer.String()})
	a := f.post(t, "/v1/bookings", both)
	d := requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Equal(t, "excluded", d.field("customer_id"))
	require.Contains(t, a.body, "Leave out customer_id, or leave out customer")
	neither := without(both, []any{"customer"})
	a = f.post(t, "/v1/bookings", without(neither, []any{"customer_id"}))
	d = requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Equal(t, "required", d.field("customer"))
	require.Equal(t, http.StatusCreated, f.post(t, "/v1/bookings", neither).status)
}

func TestCustomer_BornToday_IsKnownWhereTheCustomerIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, newServer(t).newTenant(t, "Pacific/Pago_Pago"))
	// UTC+14 is always a day or two ahead of UTC-11, also when midnight comes during the test.
	ahead := "Pacific/Kiritimati"
	there, here := civil.DateOf(testtime.Now().In(location(t, ahead))),
		civil.DateOf(testtime.Now().In(location(t, "Pacific/Pago_Pago")))
	book := func(birthday civil.Date, zone any, hour int) answer {
		customer := object{"name": "Ada", "email": uuid.NewString() + "@example.com", "birthday": birthday.String(),
			"time_zone": zone}
		if zone == nil {
			delete(customer, "time_zone")
		}
		return f.post(t, "/v1/bookings", bookingOf(f.slots, at(future(4), hour, 0), object{"customer": customer}))
	}
	require.Equal(t, http.StatusCreated, book(there, ahead, 10).status)
	require.Equal(t, unprocessable, book(there, "Pacific/Pago_Pago", 11).status)
	require.Equal(t, http.StatusCreated, book(here, nil, 12).status)
	require.Equal(t, unprocessable, book(there, nil, 13).status, "the tenant's time zone, of a customer without one")
}

package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestSettings_BookingPageThatCannotBe_IsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	twice := uuid.NewString()
	for field, page := range map[string]object{
		"booking_page.colour":           {"colour": "red"},
		"booking_page.languages[0]":     {"languages": []string{"fr"}},
		"booking_page.languages[1]":     {"languages": []string{"de", "de"}},
		"booking_page.introduction":     {"introduction": "a\u202eb"},
		"booking_page.terms":            {"terms": strings.Repeat("x", 20_001)},
		"booking_page.service_ids[1]":   {"service_ids": []string{twice, twice}},
		"booking_page.hold_minutes":     {"hold_minutes": 61},
		"booking_page.customer_changes": {"customer_changes": "some"},
		"booking_page.embed_origins[0]": {"embed_origins": []string{"https://a.example; script-src *"}},
		"booking_page.unknown":          {"unknown": true},
	} {
		status, answer := s.try(t, http.MethodPatch, "/v1/tenant", s.key, object{"booking_page": page})
		require.Equal(t, http.StatusUnprocessableEntity, status, "%s: %v", field, answer)
		require.Contains(t, fmt.Sprint(answer["errors"]), "field:"+field)
	}
}

func TestSettings_OfTheBookingPage_AreOnThePages(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	first, second := s.tour(t, 1, object{"name": "First"}),
		s.tour(t, 1, object{"name": "Second", "description": "One line.\nAnother."})
	s.tour(t, 1, object{"name": "Third"})
	s.set(t, object{"booking_page": object{"colour": "#ffee00", "service_ids": []string{second, first},
		"terms": "Be kind."}})
	v := s.visitor(t)
	list := v.book(t, "")
	require.Contains(t, list.Raw, "--accent:#ffee00;--on-accent:#000000")
	require.Less(t, strings.Index(list.Text(), "Second"), strings.Index(list.Text(), "First"))
	require.NotContains(t, list.Text(), "Third")
	require.Contains(t, list.Text(), "One line. Another.")
	require.Contains(t, list.Follow(t, "Terms").Text(), "Be kind.")
}

func TestPage_OfASuspendedTenant_IsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	tenant := s.call(t, http.MethodGet, "/v1/tenant", s.key, nil)["id"].(string)
	s.call(t, http.MethodPost, "/admin/v1/tenants/"+tenant+"/suspend", adminKey, object{"reason": "unpaid"})
	require.Equal(t, http.StatusNotFound, s.visitor(t).book(t, "").Status)
	require.Equal(t, http.StatusNotFound, s.visitor(t).Open(t, s.url+"/book/nobody").Status)
}

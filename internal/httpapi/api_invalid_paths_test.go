package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestInvalid_QueriesAndPaths_AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	get := func(path string, status int, code problem.Code, field, reason string) refusal {
		return refusal{
			name:   path,
			method: http.MethodGet,
			path:   path,
			status: status,
			code:   code,
			field:  field,
			reason: reason,
		}
	}
	malformed := func(path string) refusal {
		return get(path, http.StatusBadRequest, problem.MalformedRequest, "", "")
	}
	invalid := func(path, field, reason string) refusal {
		return get(path, http.StatusUnprocessableEntity, problem.ValidationFailed, field, reason)
	}
	missing := func(path string) refusal { return get(path, http.StatusNotFound, problem.NotFound, "", "") }
	availability := "/v1/services/" + f.slots.String() + "/availability"
	refusals := []refusal{
		malformed("/v1/bookings?status=%00"),
		malformed("/v1/bookings?%00=1"),
		malformed("/v1/bookings?status=%ff"),
		malformed("/v1/bookings?status=%zz"),
		malformed("/v1/bookings?status=%"),
		malformed("/v1/bookings?status=held;limit=1"),
		malformed("/v1/bookings?cursor=%c0%80"),
		malformed(availability + "?from=%00&to=%00"),
		invalid("/v1/bookings?colour=red", "colour", "unknown_field"),
		invalid("/v1/bookings?Limit=1", "Limit", "unknown_field"),
		invalid("/v1/bookings/"+f.booking.String()+"?expand=all", "expand", "unknown_field"),
		invalid("/v1/bookings?limit=9223372036854775808", "limit", "wrong_type"),
		invalid("/v1/bookings?limit=ten", "limit", "wrong_type"),
		invalid(availability+"?from=2027-07-01", "to", "required"),
		invalid(availability+"?from=2027-07-02&to=2027-07-01", "to", "before_from"),
		missing("/v1/bookings/%00"),
		missing("/v1/bookings/%ff"),
		missing("/v1/bookings/.."),
		missing("/v1/bookings/../bookings"),
		missing("/v1/bookings/%2e%2e%2fbookings"),
		missing("/v1/bookings/..%5c..%5cetc"),
		missing("/v1/bookings/" + f.booking.String() + "%2fcancel"),
		missing("/v1/bookings/" + f.booking.String() + "/"),
		missing("//v1/bookings/" + f.booking.String()),
		missing("/v1/bookings/" + strings.Repeat("a", 20_000)),
		missing("/v1/bookings/'%20OR%201=1--"),
		missing("/V1/bookings/" + f.booking.String()),
	}
	for _, list := range []string{"bookings", "closures", "resources", "services", "tenant/conflicts"} {
		for _, cursor := range []string{"x", "AAAA", "MjAyNy0wNy0wMXx4", "fA", "%2e%2e", "eA%3D%3D",
			"MDAwMC0wMC0wMHwwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDA"} {
			refusals = append(refusals, invalid("/v1/"+list+"?cursor="+cursor, "cursor", "invalid_format"))
		}
	}
	for _, d := range []string{"0000-01-01", "0001-01-01", "9999-12-31"} {
		for _, field := range []string{"from", "to"} {
			refusals = append(refusals, invalid("/v1/bookings?"+field+"="+d, field, "out_of_range"))
		}
		refusals = append(refusals,
			invalid(availability+"?from="+d+"&to="+d, "from", "out_of_range"),
			invalid(availability+"?from=2027-07-01&to="+d, "to", "out_of_range"))
	}
	requireRefused(t, f.client, refusals)
}

func TestInvalid_QueryParameterGivenTwice_IsRefusedByItsName(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	availability := "/v1/services/" + f.dates.String() + "/availability?from=" + future(0).String() + "&to=" +
		future(1).String()
	for _, path := range []string{
		"/v1/bookings?limit=1&limit=2", "/v1/bookings?limit=1&limit=1", "/v1/bookings?status=held&status=confirmed",
		"/v1/bookings?from=&from=",
		"/v1/bookings?service_id=" + f.dates.String() + "&service_id=" + f.slots.String(),
		"/v1/resources?cursor=&cursor=",
		"/v1/bookings?limi%74=1&limit=1", availability + "&party_size=1&party_size=2",
		availability + "&from=" + future(0).String(),
	} {
		a := f.get(t, path)
		requireProblem(t, a, http.StatusBadRequest, problem.MalformedRequest)
		require.Regexp(t, "parameter (limit|status|from|service_id|cursor|party_size) more than once",
			a.text(t, "detail"), path)
	}
	a := f.get(t, "/v1/bookings?secret=1&secret=2")
	requireProblem(t, a, unprocessable, problem.ValidationFailed)
}

func TestInvalid_AuthorizationGivenTwice_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, second := range []string{"Bearer " + c.key, "Bearer x", "Basic YTpi"} {
		requireProblem(t, c.get(t, "/v1/services", "Authorization", "Bearer "+c.key, "Authorization", second),
			http.StatusUnauthorized,
			problem.Unauthenticated)
	}
	admin := c.admin()
	requireProblem(t, admin.get(t, "/admin/v1/locks", "Authorization", "Bearer "+admin.key, "Authorization",
		"Bearer "+admin.key),
		http.StatusUnauthorized, problem.Unauthenticated)
}

func TestInvalid_IDsInAnotherForm_AreNoIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	missing := f.get(t, "/v1/bookings/"+uuid.NewString())
	for _, form := range otherForms(f.booking) {
		for _, path := range []string{"/v1/bookings/", "/v1/payments/", "/v1/resources/", "/v1/services/",
			"/v1/closures/"} {
			a := f.get(t, path+url.PathEscape(form))
			require.Equal(t, http.StatusNotFound, a.status, form)
			require.Equal(t, missing.body, a.body)
		}
		require.Equal(t, http.StatusNotFound, f.post(t, "/v1/bookings/"+url.PathEscape(form)+"/cancel", nil).status)
		require.Equal(t, http.StatusNotFound,
			f.post(t, "/v1/closures/"+url.PathEscape(otherForms(f.closure)[0])+"/archive", nil).status)
		for _, name := range []string{"service_id", "resource_id", "customer_id"} {
			d := requireProblem(t, f.get(t, "/v1/bookings?"+name+"="+url.QueryEscape(form)), unprocessable,
				problem.ValidationFailed)
			require.Equal(t, "invalid_format", d.field(name))
		}
		cursor := base64.RawURLEncoding.EncodeToString([]byte(form))
		d := requireProblem(t, f.get(t, "/v1/resources?cursor="+cursor), unprocessable, problem.ValidationFailed)
		require.Equal(t, "invalid_format", d.field("cursor"))
		cursor = base64.RawURLEncoding.EncodeToString([]byte(future(0).String() + "|" + form))
		d = requireProblem(t, f.get(t, "/v1/bookings?cursor="+cursor), unprocessable, problem.ValidationFailed)
		require.Equal(t, "invalid_format", d.field("cursor"))
	}
	require.Equal(t, http.StatusOK, f.get(t, "/v1/bookings/"+strings.ToUpper(f.booking.String())).status,
		"capitals are the same text, as RFC 9562 says")
}

// otherForms returns ways to write an id that uuid.Parse reads too.
func otherForms(id uuid.UUID) []string {
	return []string{"{" + id.String() + "}", "urn:uuid:" + id.String(), strings.ReplaceAll(id.String(), "-", "")}
}

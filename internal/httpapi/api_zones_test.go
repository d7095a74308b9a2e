package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestTimeZones_StoredByOlderVersions_AreRead writes names that are refused today to the database. The tenant can be used
// as before, and its bookings name the zone that is meant.
func TestTimeZones_StoredByOlderVersions_AreRead(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for stored, want := range map[string]string{
		"right/Europe/Berlin": "Europe/Berlin", "posix/UTC": "UTC", "Factory": "UTC", "localtime": "UTC", "posixrules": "UTC", "Europe/Atlantis": "UTC",
	} {
		t.Run(stored, func(t *testing.T) {
			t.Parallel()
			c := s.newTenant(t, want)
			write := func(table string) {
				t.Helper()
				_, err := s.sql.Exec(t.Context(), "UPDATE "+table+" SET time_zone = $2 WHERE tenant_id = $1", c.tenant, stored)
				require.NoError(t, err)
			}
			write("tenants") // before the tenant is read for the first time
			service := c.newService(t, "date", object{"price": 10000}, c.newResource(t, 2))
			date := future(10)
			customer := object{"customer": object{"name": "Ada", "email": "ada@example.com"}}
			booking := c.book(t, service, date, customer)
			require.Equal(t, want, booking.text(t, "time_zone"))
			path := "/v1/bookings/" + booking.id(t).String()
			paid := c.post(t, path+"/payments", object{"kind": "amount", "amount": 2345, "payment_method": "pm_ok"})
			require.Equal(t, http.StatusCreated, paid.status, paid.body)
			write("bookings")
			write("customers")

			read := c.get(t, path)
			require.Equal(t, http.StatusOK, read.status, read.body)
			require.Equal(t, want, read.text(t, "time_zone"))
			require.Equal(t, booking.text(t, "starts_at"), read.text(t, "starts_at"))
			day := "from=" + date.String() + "&to=" + date.String()
			for _, path := range []string{
				"/v1/bookings?" + day, "/v1/services/" + service.String() + "/availability?" + day,
				"/v1/payments/" + paid.id(t).String() + "/receipt", "/v1/payments/" + paid.id(t).String() + "/receipt.pdf",
			} {
				a := c.get(t, path)
				require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
			}
			require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)
			c.book(t, service, date, customer)
			key := s.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil, "Idempotency-Key", uuid.NewString())
			require.Equal(t, http.StatusCreated, key.status, key.body)
		})
	}
}

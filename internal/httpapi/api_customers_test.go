package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// bookFor books a date for a customer, and returns the booking and the customer.
func (c client) bookFor(t testingT, service uuid.UUID, day int, customer object, with ...object,
) (booking, id uuid.UUID) {
	t.Helper()
	a := c.book(t, service, future(day), append(with, object{"customer": customer})...)
	booking = c.created(t, a)
	return booking, uuid.MustParse(a.field(t, "customer").(object)["id"].(string))
}

func customerPath(id uuid.UUID) string { return "/v1/customers/" + id.String() }

// found returns the ids of the customers that a query finds, on pages of one.
func (c client) found(t testingT, query string) []string {
	t.Helper()
	ids, cursor := []string{}, ""
	for {
		a := c.get(t, "/v1/customers?limit=1&"+query+cursor)
		require.Equal(t, http.StatusOK, a.status, a.body)
		var p struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
			NextCursor string `json:"next_cursor"`
		}
		a.read(t, &p)
		for _, row := range p.Data {
			ids = append(ids, row.ID)
		}
		if p.NextCursor == "" {
			return ids
		}
		cursor = "&cursor=" + p.NextCursor
	}
}

// What decides about customers is tried in internal/customer.
func TestCustomers_Answers_HaveTheirTagsCodesAndActors(t *testing.T) {
	t.Parallel()
	c := setup(t)
	body := object{"name": "Ada Lovelace", "email": " Ada@Example.com ", "birthday": "1990-12-10"}
	made := c.post(t, "/v1/customers", body, "Idempotency-Key", "first")
	id := c.created(t, made)
	path := customerPath(id)
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	require.Equal(t, "ada@example.com", made.text(t, "email"))
	read := c.get(t, path).ok(t)
	require.Equal(t, []string{made.body, `"1"`}, []string{read.body, read.header.Get("ETag")})
	require.Equal(t, made.body, c.post(t, "/v1/customers", body, "Idempotency-Key", "first").body)
	requireProblem(t, c.post(t, "/v1/customers", body), http.StatusConflict, problem.AlreadyExists)
	requireProblem(t, c.get(t, customerPath(uuid.New())), http.StatusNotFound, problem.NotFound)

	changed := c.patch(t, path, object{"email": "king@example.com", "birthday": nil}, "If-Match", `"1"`).ok(t)
	require.Equal(t, `"2"`, changed.header.Get("ETag"))
	require.NotContains(t, changed.body, "birthday")
	requireProblem(t, c.patch(t, path, object{"name": "Ada"}, "If-Match", `"1"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	archived := c.post(t, path+"/archive", nil, "If-Match", `"2"`).ok(t)
	require.NotEmpty(t, archived.text(t, "archived_at"))
	require.NotContains(t, c.post(t, path+"/unarchive", nil).ok(t).body, "archived_at")
	for _, e := range c.history(t, path) {
		require.NotEmpty(t, e.RequestID)
		require.NotEqual(t, uuid.Nil, e.APIKeyID)
	}
	require.Equal(t, []string{id.String()}, c.found(t, "q=ada%20l"))
	require.Equal(t, []string{id.String()}, c.found(t, "email=KING@example.com"))
	requireProblem(t, c.get(t, "/v1/customers?q=ada&email=a"), unprocessable, problem.ValidationFailed)
}

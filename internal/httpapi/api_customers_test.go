package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// bookFor books a date for a customer, and returns the booking and the customer.
func (c client) bookFor(t testingT, service uuid.UUID, day int, customer object, with ...object) (booking, id uuid.UUID) {
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

func TestCustomers_List_FindsByEmailAndByBeginningOfNameEmailAndPhone(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	_, ada := c.bookFor(t, service, 3, object{"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 1"})
	_, adam := c.bookFor(t, service, 3, object{"name": "Adam Smith", "email": "smith@example.com", "phone": "+44 20 2"})

	for query, want := range map[string][]string{
		"":                      {ada.String(), adam.String()},
		"email=ADA@example.com": {ada.String()},
		"email=nobody@x.org":    {},
		"q=ada":                 {ada.String(), adam.String()},
		"q=ada l":               {ada.String()},
		"q=SMITH@":              {adam.String()},
		"q=%2B44 20":            {adam.String()},
		"q=lovelace":            {}, // not the beginning of the name
		"q=%25da":               {},
	} {
		require.Equal(t, want, c.found(t, strings.ReplaceAll(query, " ", "%20")), query)
	}
	require.Equal(t, http.StatusUnprocessableEntity, c.get(t, "/v1/customers?q=ada&email=a").status)
	require.Equal(t, http.StatusUnprocessableEntity, c.get(t, "/v1/customers?q=%20%20%20").status)
}

func TestCustomers_EmailsThatUnicodeFolds_AreThoseOfTwo(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	booking, kim := c.bookFor(t, service, 3, object{"name": "Kim", "email": "kim@example.com"})
	_, again := c.bookFor(t, service, 4, object{"name": "Kim", "email": " KIM@Example.com"})
	require.Equal(t, kim, again)

	const kelvin = "\u212Aim@example.com"
	_, other := c.bookFor(t, service, 4, object{"name": "Another", "email": kelvin})
	require.NotEqual(t, kim, other)
	require.Equal(t, kelvin, c.get(t, customerPath(other)).text(t, "email"))
	require.Equal(t, []string{other.String()}, c.found(t, "email="+url.QueryEscape(kelvin)))
	require.Equal(t, []string{kim.String()}, c.found(t, "email=kim@example.com"))
	third := c.created(t, c.post(t, "/v1/customers", object{"name": "Third", "email": "K\u0130M@example.com"}))
	require.Equal(t, http.StatusOK, c.patch(t, customerPath(third), object{"email": "\u212AIM@example.org"}).status)
	require.Equal(t, "\u212Aim@example.org", c.get(t, customerPath(third)).text(t, "email"))
	require.NotContains(t, c.get(t, "/v1/bookings?email="+url.QueryEscape(kelvin)).body, booking.String())
}

func TestCustomers_ReadAndChange_RaisesTheVersionAndTellsIt(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	booking, ada := c.bookFor(t, service, 3, object{"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+49 30 1"})
	c.bookFor(t, service, 3, object{"name": "Adam Smith", "email": "smith@example.com"})
	path := customerPath(ada)

	read := c.get(t, path)
	require.Equal(t, http.StatusOK, read.status, read.body)
	require.Equal(t, `"1"`, read.header.Get("ETag"))
	require.Equal(t, http.StatusNotFound, c.get(t, customerPath(uuid.New())).status)

	changed := c.patch(t, path, object{"email": " King@Example.com ", "phone": nil, "birthday": "1990-12-10"}, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.Equal(t, `"2"`, changed.header.Get("ETag"))
	require.Equal(t, "king@example.com", changed.text(t, "email"))
	require.NotContains(t, changed.body, "phone")
	require.Equal(t, "ada@example.com", c.get(t, "/v1/bookings/"+booking.String()).field(t, "customer").(object)["email"],
		"given for the booking")

	requireProblem(t, c.patch(t, path, object{"name": "Ada"}, "If-Match", `"1"`), http.StatusPreconditionFailed, problem.VersionMismatch)
	requireProblem(t, c.patch(t, path, object{"email": "SMITH@example.com"}), http.StatusConflict, problem.AlreadyExists)
	requireProblem(t, c.patch(t, path, object{"email": "x@erased.invalid"}), http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Equal(t, `"2"`, c.patch(t, path, object{"phone": nil}).header.Get("ETag"), "nothing differs")

	// A booking that updates the customer is a change as well.
	c.bookFor(t, service, 4, object{"name": "Ada King", "email": "king@example.com", "phone": "+44 1"}, object{"update_customer": true})
	entries := c.history(t, path)
	require.Len(t, entries, 3)
	require.Equal(t, "customer.created", entries[0].Action)
	require.Equal(t, "customer.updated", entries[1].Action)
	require.Equal(t, object{"email": "ada@example.com", "phone": "+49 30 1"}, entries[1].Before)
	require.Equal(t, object{"email": "king@example.com", "birthday": "1990-12-10"}, entries[1].After)
	require.Equal(t, object{"name": "Ada Lovelace"}, entries[2].Before)
	require.Equal(t, object{"name": "Ada King", "phone": "+44 1"}, entries[2].After)
	for _, e := range entries {
		require.NotEmpty(t, e.RequestID)
		require.NotEqual(t, uuid.Nil, e.APIKeyID)
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1 AND version = $2 AND type = $3", ada, e.Version,
			e.Action))
	}
}

func TestCustomers_Create_IsToldAndRefusedForAnEmailInUse(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": true}}).status)
	body := object{"name": "Ada Lovelace", "email": " Ada@Example.com ", "birthday": "1990-12-10"}
	made := c.post(t, "/v1/customers", body, "Idempotency-Key", "first")
	id := c.created(t, made)
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	require.Equal(t, "ada@example.com", made.text(t, "email"))
	require.Equal(t, made.body, c.get(t, customerPath(id)).body)
	require.Equal(t, made.body, c.post(t, "/v1/customers", body, "Idempotency-Key", "first").body)
	entries := c.history(t, customerPath(id))
	require.Len(t, entries, 1)
	require.Equal(t, "customer.created", entries[0].Action)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM changes WHERE subject_id = $1 AND version = 1 AND type = 'customer.created'", id))
	upcoming := c.upcoming(t, "subject="+id.String())
	require.Len(t, upcoming, 1)
	require.Equal(t, "customer.birthday", upcoming[0].Kind)

	requireProblem(t, c.post(t, "/v1/customers", body), http.StatusConflict, problem.AlreadyExists)
	requireProblem(t, c.post(t, "/v1/customers", object{"name": "X", "email": "x@erased.invalid"}), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	_, found := c.bookFor(t, service, 3, object{"name": "Ada Lovelace", "email": "ada@example.com"})
	require.Equal(t, id, found, "a booking finds the customer")
}

func TestCustomers_CreateAtOnceWithOneEmail_IsDoneOnce(t *testing.T) {
	t.Parallel()
	c := setup(t)
	answers := make([]answer, 6)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = c.post(t, "/v1/customers", object{"name": "Ada", "email": "ada@example.com"}) })
	}
	all.Wait()
	made := 0
	for _, a := range answers {
		if a.status == http.StatusCreated {
			made++
			continue
		}
		requireProblem(t, a, http.StatusConflict, problem.AlreadyExists)
	}
	require.Equal(t, 1, made)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM customers"))
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM changes WHERE type = 'customer.created'"))
}

func TestCustomers_CreateAtOnceWithABooking_MakesOneCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 20))
	const rounds = 8
	for i := range rounds {
		person := object{"name": "Ada", "email": uuid.NewString() + "@example.com"}
		var made, booked answer
		var both sync.WaitGroup
		both.Go(func() { made = c.post(t, "/v1/customers", person) })
		both.Go(func() { booked = c.book(t, service, future(3+i), object{"customer": person}) })
		both.Wait()
		c.created(t, booked)
		if made.status != http.StatusCreated {
			requireProblem(t, made, http.StatusConflict, problem.AlreadyExists)
			continue
		}
		require.Equal(t, made.text(t, "id"), booked.field(t, "customer").(object)["id"])
	}
	require.Equal(t, rounds, c.count(t, "SELECT count(*) FROM customers"))
	require.Equal(t, rounds, c.count(t, "SELECT count(*) FROM changes WHERE type = 'customer.created'"))
	require.Equal(t, rounds, c.count(t, "SELECT count(*) FROM changes WHERE type = 'customer.created'"))
}

func TestCustomers_ChangeOfBirthdayAndTimeZone_MovesTheBirthday(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{"greetings": object{"birthday": true}}).status)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	_, ada := c.bookFor(t, service, 3, object{"name": "Ada", "email": "ada@example.com", "birthday": born(10)})
	query := "subject=" + ada.String()
	require.Equal(t, []upcoming{inBerlin("customer.birthday", at(future(10), 9, 0))}, c.upcoming(t, query))
	require.Equal(t, http.StatusOK, c.patch(t, customerPath(ada), object{"birthday": born(11), "time_zone": "Asia/Kathmandu"}).status)
	require.Equal(t, []upcoming{{"customer.birthday", future(11).String() + "T09:00:00+05:45", "Asia/Kathmandu"}}, c.upcoming(t, query))
	require.Equal(t, http.StatusOK, c.patch(t, customerPath(ada), object{"birthday": nil}).status)
	require.Empty(t, c.upcoming(t, query))
}

package hostile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/wallet"
)

// day is one date of an availability.
type day struct {
	Date      string
	Available bool
	Remaining int
	Slots     []struct {
		StartsAt    string `json:"starts_at"`
		Remaining   int
		ResourceIDs []string `json:"resource_ids"`
	}
}

// days reads the dates of an availability.
func days(a answer) []day {
	var body struct{ Data []day }
	_ = json.Unmarshal([]byte(a.body), &body)
	return body.Data
}

// requireInvariants requires what is true of a tenant whatever it was sent.
func (s *sequence) requireInvariants() {
	var overlaps int
	require.NoError(s, s.sql.QueryRow(background, dbtest.Overlaps+" WHERE a.tenant_id = $1", s.tenant).Scan(&overlaps))
	require.Zero(s, overlaps, "two bookings have the same unit at the same time")
	wallets, err := wallet.NewOperator(s.store).Verify(background, s.tenant)
	require.NoError(s, err)
	require.Empty(s, wallets.Differences)
	for _, id := range s.known["bookings"] {
		s.requireMoneyAddsUp(id)
	}
	for _, service := range s.known["services"] {
		s.requireAvailabilityAgrees(service)
	}
}

// get asks for something that has to be there.
func (s *sequence) get(operation, id string, query url.Values) answer {
	op := s.named(operation)
	r := drawn{op: op, request: request{method: http.MethodGet, target: op.pathOf(id)}}
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	r.set("Authorization", "Bearer "+s.key)
	return s.exchange(r)
}

// requireMoneyAddsUp requires that the payments of a booking add up to its balance, and that the booking tells the
// same.
func (s *sequence) requireMoneyAddsUp(id string) {
	balance, booking := s.get("get-balance", id, nil).object, s.get("get-booking", id, nil).object
	var page struct {
		Data []struct {
			Kind, Status string
			Amount       float64
		}
	}
	a := s.get("list-payments", id, url.Values{"limit": {"200"}})
	require.NoError(s, json.Unmarshal([]byte(a.body), &page))
	var paid, refunded float64
	for _, p := range page.Data {
		switch {
		case p.Status != "succeeded":
		case p.Kind == "refund":
			refunded += p.Amount
		default:
			paid += p.Amount
		}
	}
	require.Equal(s, []any{paid, refunded}, []any{balance["paid"], balance["refunded"]}, "payments %s and balance %v",
		a.body, balance)
	require.Equal(s, []any{balance["total"], paid, refunded, balance["due"], balance["overpaid"]},
		[]any{booking["price"], booking["paid"], booking["refunded"], booking["due"],
			booking["overpaid"]}, "booking %v and balance %v", booking, balance)
	due, overpaid := balance["due"].(float64), balance["overpaid"].(float64)
	require.Zero(s, min(due, overpaid), "both due and overpaid: %v", balance)
	owed := max(balance["total"].(float64)-balance["lowered"].(float64), 0)
	if returning := balance["returning"].(float64); booking["status"] == "confirmed" ||
		booking["status"] == "completed" {
		require.Equal(s, int64(owed-paid+refunded+returning), int64(due-overpaid), "%v", balance)
	}
	require.LessOrEqual(s, refunded, paid)
}

// requireAvailabilityAgrees books what a service's availability offers on a date, or as a stay from there on, which has
// to succeed, and a time that it doesn't list, which has to be refused.
func (s *sequence) requireAvailabilityAgrees(service string) {
	d, query := s.date.AddDays(s.between(-1, 1)), url.Values{}
	query.Set("from", d.String())
	query.Set("to", d.String())
	nights := s.between(1, 3)
	if s.kinds[service] == "stay" {
		query.Set("nights", strconv.Itoa(nights))
	}
	a := s.get("get-availability", service, query)
	require.Equal(s, http.StatusOK, a.status, a.body)
	if a.text("next_cursor") != "" {
		return // the page is full and doesn't list every slot
	}
	list := days(a)
	require.Len(s, list, 1)
	require.Equal(s, d.String(), list[0].Date)
	require.Equal(s, list[0].Available, list[0].Remaining > 0, a.body)
	if kind := s.kinds[service]; kind == "date" || kind == "stay" {
		body := object{"service_id": service, "date": d.String()}
		if kind == "stay" {
			body = object{"service_id": service, "check_in": d.String(), "check_out": d.AddDays(nights).String()}
		}
		made := s.book(body)
		require.Equal(s, list[0].Available, made.status == http.StatusCreated, "%s, but the availability was %s",
			made.body, a.body)
		return
	}
	// By the start of slots, whether one of them is free. Slots until closing may end at several times.
	offered := map[int64]bool{}
	for _, slot := range list[0].Slots {
		at, err := time.Parse(time.RFC3339, slot.StartsAt)
		require.NoError(s, err)
		require.Equal(s, d, civil.DateOf(at.In(s.loc)), "the date of a slot that %s lists in %s", a.body, s.loc)
		offered[at.Unix()] = offered[at.Unix()] || slot.Remaining > 0
	}
	if n := len(list[0].Slots); n > 0 {
		slot := list[0].Slots[s.IntN(n)]
		made := s.book(object{"service_id": service, "starts_at": slot.StartsAt})
		at, _ := time.Parse(time.RFC3339, slot.StartsAt)
		require.Equal(s, offered[at.Unix()], made.status == http.StatusCreated, "%s at %s, but the availability was %s",
			made.body,
			slot.StartsAt, a.body)
	}
	at := d.In(s.loc).Add(time.Duration(s.between(0, 300)) * 5 * time.Minute)
	if _, listed := offered[at.Unix()]; civil.DateOf(at) == d && !listed {
		made := s.book(object{"service_id": service, "starts_at": at.Format(time.RFC3339)})
		require.NotEqual(s, http.StatusCreated, made.status, "%s isn't offered by %s", at, a.body)
	}
}

// book asks for a booking of one person.
func (s *sequence) book(body object) answer {
	body["customer"] = object{"name": "Ada Lovelace", "email": fmt.Sprint("c", s.between(0, 9), "@example.com")}
	r := drawn{op: s.named("create-booking"),
		request: request{method: http.MethodPost, target: "/v1/bookings", body: encoded(body)}}
	r.set("Authorization", "Bearer "+s.key)
	r.set("Idempotency-Key", s.uuid().String())
	r.set("Content-Type", "application/json")
	return s.exchange(r)
}

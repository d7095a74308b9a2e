package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
)

// deposit is what visitors pay of what a kiosk sells.
const deposit = 1000

// submitButton is the button of the form of the page of a booking.
const submitButton = "form[data-once] button.primary"

// kiosk is a shop with a booking page, a visitor who holds a time there, and the server.
type kiosk struct {
	till
	shop

	dir    string
	server *proc
	b      *pagetest.Browser
}

// newKiosk starts a server and has a visitor hold ten o'clock.
func newKiosk(t *testing.T) *kiosk {
	t.Helper()
	k := &kiosk{till: newTill(t), dir: newDir(t)}
	k.server = start(t, k.dir, k.env(k.database)...)
	k.sandbox.SetWebhook(k.server.url + "/webhooks/sandbox")
	k.shop = newShop(t, k.server)
	set := func(path string, body map[string]any) answer {
		a, err := k.server.send(http.MethodPatch, path, k.key, "", body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		return a
	}
	set("/v1/services/"+k.service, map[string]any{"deposit": deposit})
	var tenant struct{ Slug string }
	require.NoError(t, json.Unmarshal(set("/v1/tenant",
		map[string]any{"booking_page": map[string]any{"enabled": true}}).body, &tenant))
	k.b = pagetest.NewBrowser(t, pagetest.Phone)
	k.b.Open(t, k.server.url+"/book/"+tenant.Slug+"/"+k.service+"?date="+slot(0, 10).Format("2006-01-02"))
	k.b.Click(t, `button[value*="T10:00"]`)
	k.b.Fill(t, "name", "Ada Lovelace")
	k.b.Fill(t, "email", "ada@example.com")
	return k
}

// restart starts a server after one that was killed, at the same address and on the same data.
func (k *kiosk) restart(t *testing.T) {
	t.Helper()
	k.server = start(t, k.dir,
		append(k.env(k.database), "HOLDFAST_ADDR="+strings.TrimPrefix(k.server.url, "http://"))...)
}

// requireEnd waits until nothing is left that goes on by itself, and the bookings and the payments have these statuses.
func (k *kiosk) requireEnd(t *testing.T, booking string, payments ...string) {
	t.Helper()
	require.Eventually(t, func() bool {
		got := query[string](t, k.database, "SELECT status FROM bookings")
		got = append(got, query[string](t, k.database,
			"SELECT kind || ' ' || status FROM payments ORDER BY created_at")...)
		return slices.Equal(got, append([]string{booking}, payments...))
	}, settleLimit, poll)
	require.Equal(t, []int{0}, query[int](t, k.database, "SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL"))
	require.Equal(t, []int{0}, query[int](t, k.database, dbtest.Overlaps))
	require.Equal(t, []int{0}, query[int](t, k.database, dbtest.WrongClaims))
}

// kept returns what the provider has taken and not given back.
func (k *kiosk) kept(t *testing.T) (sum int64) {
	t.Helper()
	for _, m := range k.movements(t) {
		if m.Refund {
			sum -= m.Amount
		} else {
			sum += m.Amount
		}
	}
	return sum
}

func TestServe_KilledBetweenHoldAndPayment_VisitorGoesOnFromTheSamePageAndPaysOnce(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]func(*testing.T, *kiosk){
		"before the details are sent": func(t *testing.T, k *kiosk) {
			t.Helper()
			k.server.Kill()
			k.b.PressInVain(t, submitButton)
			k.restart(t)
			k.b.Again(t)
			k.b.Await(t, pagetest.PaymentPage)
			k.b.Press(t, "Pay")
		},
		"before the visitor goes to the provider's page": func(t *testing.T, k *kiosk) {
			t.Helper()
			k.b.Click(t, submitButton)
			k.server.Kill()
			k.restart(t)
			k.b.Await(t, pagetest.PaymentPage)
			k.b.Press(t, "Pay")
		},
		"while the visitor pays": func(t *testing.T, k *kiosk) {
			t.Helper()
			k.b.Click(t, submitButton)
			k.b.Await(t, pagetest.PaymentPage)
			k.server.Kill()
			k.b.PressInVain(t, "button[value=pay]") // the provider has taken it, and leads back
			k.restart(t)
			k.b.Again(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			way(t, k)
			k.b.Await(t, "You are booked")
			k.requireEnd(t, "confirmed", "deposit succeeded")
			require.EqualValues(t, deposit, k.kept(t))
			require.EqualValues(t, deposit, k.paid(t, k.server, k.booking(t)))
		})
	}
}

func TestServe_KilledBetweenHoldAndPayment_HoldThatLapsesMeanwhileKeepsNoMoney(t *testing.T) {
	t.Parallel()
	for name, paid := range map[string][]string{
		"the visitor leaves": {"deposit declined"}, "the visitor pays": {"deposit succeeded", "refund succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiosk(t)
			k.b.Click(t, submitButton)
			k.b.Await(t, pagetest.PaymentPage)
			k.server.Kill()
			if len(paid) > 1 {
				k.b.PressInVain(t, "button[value=pay]")
			}
			ended := query[string](t, k.database,
				"UPDATE bookings SET hold_expires_at = now() - interval '1 minute' RETURNING booking_id::text")
			require.Len(t, ended, 1)
			query[string](t, k.database, dbtest.SyncClaims)
			query[string](t, k.database, "UPDATE scheduled_events SET due_at = now() WHERE subject_id = $1::uuid",
				ended[0])
			k.restart(t)
			k.requireEnd(t, "expired", paid...)
			require.Zero(t, k.kept(t))
			if len(paid) > 1 {
				k.b.Again(t)
				k.b.Await(t, "The time is no longer held for you")
			}
			k.mustBook(t, k.server, "another", slot(0, 10)) // the time is free again
		})
	}
}

// booking returns the id of the only booking.
func (k *kiosk) booking(t *testing.T) string {
	t.Helper()
	ids := query[uuid.UUID](t, k.database, "SELECT booking_id FROM bookings")
	require.Len(t, ids, 1)
	return ids[0].String()
}

package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// historyEntry is an entry of a history as the API shows it.
type historyEntry struct {
	Version    int64     `json:"version"`
	Action     string    `json:"action"`
	APIKeyID   uuid.UUID `json:"api_key_id"`
	RequestID  string    `json:"request_id"`
	OccurredAt time.Time `json:"occurred_at"`
	Before     object    `json:"before"`
	After      object    `json:"after"`
}

// history reads the history of what a path names.
func (c client) history(t testingT, path string) []historyEntry {
	t.Helper()
	var p struct {
		Data       []historyEntry `json:"data"`
		NextCursor string         `json:"next_cursor"`
	}
	a := c.get(t, path+"/history?limit=200")
	require.Equal(t, http.StatusOK, a.status, a.body)
	a.read(t, &p)
	require.Empty(t, p.NextCursor)
	for i, e := range p.Data {
		require.Equal(t, int64(i+1), e.Version, "each version has one entry, in order: %s", a.body)
	}
	return p.Data
}

func TestHistory_BookingHeldConfirmedPaidCancelled_TellsEachChangeWithItsActor(t *testing.T) {
	t.Parallel()
	c := setup(t)
	keyID := uuid.UUID{}
	require.NoError(t, c.sql.QueryRow(t.Context(), "SELECT api_key_id FROM api_keys WHERE tenant_id = $1",
		c.tenant).Scan(&keyID))
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	a := c.book(t, service, future(3), object{"hold_minutes": 30})
	id := c.created(t, a)
	path := "/v1/bookings/" + id.String()
	require.Equal(t, http.StatusOK, c.post(t, path+"/confirm", nil, "Request-Id", "confirmation-7").status)
	require.Equal(t, http.StatusCreated, c.payWith(t, id, "pm_ok", 1000).status)
	require.Equal(t, http.StatusPaymentRequired, c.payWith(t, id, "pm_declined", 1000).status)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)

	entries := c.history(t, path)
	var actions []string
	for _, e := range entries {
		actions = append(actions, e.Action)
		require.Equal(t, keyID, e.APIKeyID, e.Action)
		require.NotEmpty(t, e.RequestID, e.Action)
	}
	require.Equal(t, []string{"booking.held", "booking.confirmed", "payment.succeeded", "payment.declined",
		"booking.cancelled"}, actions)

	made := entries[0]
	require.Nil(t, made.Before)
	require.Equal(t, "held", made.After["status"])
	require.InDelta(t, 4500, made.After["price"], 0)
	require.Equal(t, a.field(t, "customer").(object)["id"], made.After["customer_id"])
	require.NotContains(t, made.After, "customer", "the history keeps no personal data")
	require.Equal(t, "confirmation-7", entries[1].RequestID)
	require.Equal(t, object{"status": "held"}, entries[1].Before)
	confirmed := entries[1].After
	require.Equal(t, object{"status": "confirmed", "confirmed_at": confirmed["confirmed_at"]}, confirmed)
	require.Equal(t, object{"paid": float64(0), "due": float64(4500)}, entries[2].Before)
	require.Equal(t, object{"paid": float64(1000), "due": float64(3500)}, entries[2].After)
	require.Empty(t, entries[3].After, "a declined payment changes nothing that the booking shows")
	require.Equal(t, object{"status": "confirmed", "due": float64(3500)}, entries[4].Before)
	cancelled := entries[4].After
	require.Equal(t, object{"status": "cancelled", "due": float64(0), "cancelled_at": cancelled["cancelled_at"]},
		cancelled)
}

func TestHistory_HoldExpires_EntryNamesNoKey(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3), object{"hold_minutes": 1}))
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 minute'")
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), "UPDATE scheduled_events SET due_at = now()")
	require.NoError(t, err)
	c.worker(t)
	entries := c.history(t, "/v1/bookings/"+id.String())
	require.Len(t, entries, 2)
	require.Equal(t, "booking.expired", entries[1].Action)
	require.Zero(t, entries[1].APIKeyID)
	require.Empty(t, entries[1].RequestID)
}

func TestHistory_RefusedAndReplayedRequests_WriteNone(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3)))
	path := "/v1/bookings/" + id.String()
	require.Equal(t, http.StatusConflict, c.post(t, path+"/confirm", nil).status)
	key := uuid.NewString()
	for range 2 {
		require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil, "Idempotency-Key", key).status)
	}
	require.Len(t, c.history(t, path), 2)
}

func TestHistory_Pages_FollowOneAnotherWithoutGap(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 900}, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3)))
	for range 4 {
		require.Equal(t, http.StatusCreated, c.payWith(t, id, "pm_ok", 100).status)
	}
	var versions []float64
	cursor := ""
	for {
		a := c.get(t, "/v1/bookings/"+id.String()+"/history?limit=2&cursor="+cursor)
		require.Equal(t, http.StatusOK, a.status, a.body)
		for _, e := range a.field(t, "data").([]any) {
			versions = append(versions, e.(object)["version"].(float64))
		}
		var p struct {
			NextCursor string `json:"next_cursor"`
		}
		if a.read(t, &p); p.NextCursor == "" {
			break
		}
		cursor = p.NextCursor
	}
	require.Equal(t, []float64{1, 2, 3, 4, 5}, versions)
}

func TestHistory_OfAnotherTenant_ReadsAsMissing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.created(t, c.book(t, service, future(3)))
	other := c.newTenant(t, "UTC")
	for _, path := range []string{"/v1/bookings/" + id.String(), "/v1/bookings/" + uuid.NewString()} {
		require.Equal(t, http.StatusNotFound, other.get(t, path+"/history").status)
	}
}

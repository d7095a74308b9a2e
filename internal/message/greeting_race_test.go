package message_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
)

// TestAnniversary_BookingChangesWhileItIsCancelledOnRequest_OneIsPlanned has a cancellation wait with the event's row locked, when it comes to
// store its response. It plans the next year's anniversary, and the change plans this year's again.
func TestAnniversary_BookingChangesWhileItIsCancelledOnRequest_OneIsPlanned(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t testing.TB, b *testBundle, id uuid.UUID){
		"moved": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.reschedule(t, id, to(inDays(12)))
		},
		"of another customer": func(t testing.TB, b *testBundle, id uuid.UUID) {
			t.Helper()
			b.give(t, id, "Grace")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"anniversary": true}}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			first := b.only(t, event.KindAnniversary)
			r := request(t)
			stuck := b.begin(t, `
				INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
				VALUES ($1, $2, decode(repeat('00', 32), 'hex'), 201, '', '', '', now(), now() + interval '1 day')`, b.tenant.ID, r.Key())
			var both sync.WaitGroup
			both.Go(func() {
				if _, err := b.scheduled().Cancel(t.Context(), b.tenant.ID, r, first.EventID, ""); err != nil {
					t.Error(err)
				}
			})
			b.waiting(t, 1)
			both.Go(func() { change(t, b, made.ID) })
			b.waiting(t, 2)
			require.NoError(t, stuck.Rollback(t.Context()))
			both.Wait()
			events := b.events(t, event.KindAnniversary) // the next year's was due at once, to find out when it is due
			require.Equal(t, []string{"cancelled", "pending"}, statuses(events))
			require.Equal(t, first.EventID, events[1].EventID)
		})
	}
}

package event_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
)

func TestRelay_TooManyDeliveriesForOneStatement_TakesFewerEventsUntilItSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const endpoints, events = 5, 300
	// Stands for a statement that takes longer than it may.
	_, err := b.sql.Exec(t.Context(), `
		CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF (SELECT count(*) FROM inserted) > 400 THEN
				RAISE query_canceled;
			END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER refuse_many AFTER INSERT ON scheduled_events REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret, failures, version, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'https://receiver.example', '{*}', '', 'enabled', '', 0, 1, now(), now() FROM generate_series(1, $2)`, b.tenant, endpoints)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT $1, gen_random_uuid(), 'booking.created', 'booking', $2, i, true, now(), '{}' FROM generate_series(1, $3) AS i`, b.tenant, uuid.New(), events)
	require.NoError(t, err)

	relay := event.Relay(b.store)
	planned := 0
	require.Eventually(t, func() bool { // transactions of other tests hold the outbox up
		_, _ = relay.Run(t.Context())
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events").Scan(&planned))
		return planned == endpoints*events
	}, longestWait, 5*time.Millisecond, "the relay is stuck at %d deliveries", planned)
}

-- +goose Up

-- A session is one start of a service on one resource that several bookings share. It owns a claim of all units of the resource, which the
-- booking that opens it writes and the last one that leaves deletes. Each booking claims seats: units of the session, which stands in the
-- place of the resource, so that the constraint of claims keeps one seat from being sold twice.
ALTER TABLE bookings
    ADD COLUMN session_id uuid; -- null: the booking shares its resource's time with none

ALTER TABLE claims
    ADD COLUMN session_id uuid; -- of a claim of seats; resource_id is the session too

-- Without any lock, no seat can be taken of a session that has ended, and no session ends that has seats. A session's claim and the claims
-- of its seats have the same number.
ALTER TABLE claims
    ADD CONSTRAINT claims_session FOREIGN KEY (tenant_id, session_id, number) REFERENCES claims (tenant_id, owner_id, number);

CREATE INDEX claims_by_session ON claims (tenant_id, session_id) WHERE session_id IS NOT NULL;

GRANT UPDATE (session_id) ON bookings TO holdfast_app;
GRANT UPDATE (session_id) ON claims TO holdfast_app;

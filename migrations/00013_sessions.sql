-- +goose NO TRANSACTION
-- +goose Up

-- A session is one start of a service on one resource that several bookings share. It owns a claim of all units of the resource, which the
-- booking that opens it writes and the last one that leaves deletes. Each booking claims seats: units of the session, which stands in the
-- place of the resource, so that the constraint of claims keeps one seat from being sold twice. See 00043 too.
ALTER TABLE bookings
    ADD COLUMN IF NOT EXISTS session_id uuid; -- null: the booking shares its resource's time with none

ALTER TABLE claims
    ADD COLUMN IF NOT EXISTS session_id uuid; -- of a claim of seats; resource_id is the session too

GRANT UPDATE (session_id) ON bookings TO holdfast_app;
GRANT UPDATE (session_id) ON claims TO holdfast_app;

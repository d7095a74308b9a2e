-- +goose Up

-- A booking may need several resources at once: it owns a claim on each, with numbers from 1 on. resource_id is the first of them.
SET LOCAL lock_timeout = '1s';
ALTER TABLE bookings
    ADD COLUMN other_resource_ids uuid[]; -- in the order of the service's needs; null for a booking that has one resource

CREATE INDEX bookings_with_others ON bookings (tenant_id, date, booking_id) WHERE other_resource_ids IS NOT NULL;

GRANT UPDATE (other_resource_ids) ON bookings TO holdfast_app;

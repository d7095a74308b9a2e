-- +goose Up

-- A booking may need several resources at once: it owns a claim on each, with numbers from 1 on. resource_id is the first of them.
ALTER TABLE bookings
    ADD COLUMN other_resource_ids uuid[]; -- in the order of the service's needs; null for a booking that has one resource

GRANT UPDATE (other_resource_ids) ON bookings TO holdfast_app;

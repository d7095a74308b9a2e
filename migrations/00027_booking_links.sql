-- +goose Up

ALTER TABLE bookings
    -- A visitor made the booking, as a hold, and may go on with it for a while.
    ADD COLUMN by_visitor    boolean NOT NULL DEFAULT false,
    -- The links that lead a customer to a booking carry this number: another one ends all that were given out.
    ADD COLUMN link_revision integer NOT NULL DEFAULT 0;

GRANT UPDATE (link_revision) ON bookings TO holdfast_app;

-- +goose Up

-- When a booking got a status; null if it never did, or if a server before this migration changed it. A booking that was never held was
-- confirmed when it was made: that isn't stored.
ALTER TABLE bookings
    ADD COLUMN confirmed_at timestamptz,
    ADD COLUMN cancelled_at timestamptz,
    ADD COLUMN completed_at timestamptz,
    ADD COLUMN no_show_at   timestamptz,
    ADD COLUMN expired_at   timestamptz;

GRANT UPDATE (confirmed_at, cancelled_at, completed_at, no_show_at, expired_at) ON bookings TO holdfast_app;

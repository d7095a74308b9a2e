-- +goose Up

-- A slot lasts minutes, or civil days, or until the opening hours end; a buffer has minutes or civil days.
ALTER TABLE services
    ADD COLUMN duration_days int NOT NULL DEFAULT 0 CHECK (duration_days >= 0),
    ADD COLUMN until_closing bool NOT NULL DEFAULT false,
    ADD COLUMN buffer_before_days int NOT NULL DEFAULT 0 CHECK (buffer_before_days >= 0),
    ADD COLUMN buffer_after_days int NOT NULL DEFAULT 0 CHECK (buffer_after_days >= 0),
    -- The longest time that a booking occupies a resource, by the service's values and by those that it had before. It is computed in Go.
    ALTER COLUMN longest_minutes DROP DEFAULT,
    DROP CONSTRAINT services_check1,
    ADD CONSTRAINT services_duration CHECK (kind = 'date' OR slot_interval_minutes >= 1
        AND (duration_minutes >= 1)::int + (duration_days >= 1)::int + until_closing::int = 1);
GRANT UPDATE (duration_days, until_closing, buffer_before_days, buffer_after_days) ON services TO holdfast_app;
-- The civil date on which the booking ends, if that isn't the date on which it begins.
ALTER TABLE bookings ADD COLUMN last_date date CHECK (last_date > date);
GRANT UPDATE (last_date) ON bookings TO holdfast_app;
CREATE INDEX bookings_over_midnight ON bookings (tenant_id, date, booking_id) WHERE last_date IS NOT NULL;

-- +goose Down
ALTER TABLE bookings DROP COLUMN last_date;
ALTER TABLE services
    DROP COLUMN duration_days, DROP COLUMN until_closing, DROP COLUMN buffer_before_days, DROP COLUMN buffer_after_days,
    ALTER COLUMN longest_minutes SET DEFAULT 0,
    ADD CONSTRAINT services_check1 CHECK (kind = 'date' OR duration_minutes >= 1 AND slot_interval_minutes >= 1) NOT VALID;

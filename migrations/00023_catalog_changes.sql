-- +goose Up

-- While a statement waits for its table, requests wait behind it: it gives up soon, and the migration is tried again.
SET LOCAL lock_timeout = '1s';

-- What is sold can be changed and archived. Each change raises the row's version, which is its ETag.
ALTER TABLE resources
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN position int NOT NULL DEFAULT 0, -- lists can be ordered by it
    ADD COLUMN archived_at timestamptz; -- an archived resource or service takes no new bookings
ALTER TABLE services
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN archived_at timestamptz,
    -- The longest time that a booking could occupy a resource by former versions of the service. Such bookings still exist, so
    -- readers of what is occupied must reach as far back.
    ADD COLUMN longest_minutes int NOT NULL DEFAULT 0;
ALTER TABLE closures
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN updated_at timestamptz; -- null: never changed
-- A link that bookings reference can't be deleted. A removed one takes no new bookings.
ALTER TABLE service_resources ADD COLUMN removed_at timestamptz;

GRANT UPDATE (name, capacity, position, version, archived_at) ON resources TO holdfast_app;
GRANT UPDATE (name, duration_minutes, slot_interval_minutes, buffer_before_minutes, buffer_after_minutes, min_lead_minutes,
    booking_window_days, max_per_day, price, deposit, metadata, reminders, version, archived_at, longest_minutes, updated_at)
    ON services TO holdfast_app;
GRANT UPDATE (resource_id, from_date, to_date, reason, version, updated_at) ON closures TO holdfast_app;
GRANT UPDATE (position, removed_at) ON service_resources TO holdfast_app;

-- +goose Down
REVOKE UPDATE (position) ON service_resources FROM holdfast_app;
REVOKE UPDATE (resource_id, from_date, to_date, reason) ON closures FROM holdfast_app;
REVOKE UPDATE (name, duration_minutes, slot_interval_minutes, buffer_before_minutes, buffer_after_minutes, min_lead_minutes,
    booking_window_days, max_per_day, price, deposit, metadata, reminders, updated_at) ON services FROM holdfast_app;
REVOKE UPDATE (name, capacity) ON resources FROM holdfast_app;
ALTER TABLE service_resources DROP COLUMN removed_at;
ALTER TABLE closures DROP COLUMN updated_at, DROP COLUMN version;
ALTER TABLE services DROP COLUMN longest_minutes, DROP COLUMN archived_at, DROP COLUMN version;
ALTER TABLE resources DROP COLUMN archived_at, DROP COLUMN position, DROP COLUMN version;

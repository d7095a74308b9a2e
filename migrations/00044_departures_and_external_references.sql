-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- A booking may leave a customer, come back and leave again. A departure is the first version with the other customer. version is the last
-- departure, which an older server overwrites; the ones before it are kept here.
ALTER TABLE former_customers ADD COLUMN earlier bigint[] NOT NULL DEFAULT '{}';
GRANT UPDATE (earlier) ON former_customers TO holdfast_app;
-- What follows a completed event may have been cancelled before, when the customer had another time zone.
GRANT UPDATE (time_zone) ON scheduled_events TO holdfast_worker;
-- unique_references is about reference alone from here on. Where this is null an older server has written, and it is about both.
ALTER TABLE bookings ADD COLUMN unique_external_reference boolean;
GRANT UPDATE (unique_external_reference) ON bookings TO holdfast_app;

-- +goose Down
ALTER TABLE bookings DROP COLUMN unique_external_reference;
REVOKE UPDATE (time_zone) ON scheduled_events FROM holdfast_worker;
ALTER TABLE former_customers DROP COLUMN earlier;

-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- Who a booking is for, as it was given for this booking: {"name", "email", "phone", "time_zone"}. Null of a hold without a customer, and
-- once the customer was erased. json and not jsonb: it is only read as a whole.
ALTER TABLE bookings ADD COLUMN contact json;
GRANT UPDATE (contact) ON bookings TO holdfast_app;
-- Who paid, as the booking's customer and contact were when the payment began. Null of refunds.
ALTER TABLE payments ADD COLUMN customer_id uuid, ADD COLUMN contact json;
GRANT UPDATE (customer_id, contact) ON payments TO holdfast_app;

-- +goose Down
ALTER TABLE payments DROP COLUMN customer_id, DROP COLUMN contact;
ALTER TABLE bookings DROP COLUMN contact;

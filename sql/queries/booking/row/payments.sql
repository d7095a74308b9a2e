-- name: PaymentGetOpen :one
-- PaymentGetOpen finds the one open payment or refund of a booking, automatic refunds aside.
SELECT payment_id, refund_of, idempotency_key, leased_until
FROM payments
WHERE tenant_id = $1 AND booking_id = $2 AND status IN ('started', 'unknown', 'processing') AND NOT automatic;

-- name: PaymentSetPayer :exec
-- PaymentSetPayer says who paid before the customer of a hold was known: the customer that the hold has now.
UPDATE payments p
SET customer_id = b.customer_id, contact = b.contact
FROM bookings b
WHERE p.tenant_id = $1 AND p.booking_id = $2 AND p.refund_of IS NULL AND p.customer_id IS NULL
  AND b.tenant_id = p.tenant_id AND b.booking_id = p.booking_id;

-- name: EndedBookingDelete :exec
DELETE FROM ended_bookings
WHERE tenant_id = $1 AND booking_id = $2;

-- name: MessageDataOfBooking :one
-- MessageDataOfBooking reads what a message about a booking tells and depends on besides the booking. template is the kind of an email.
SELECT s.name AS service_name, s.kind AS service_kind, (s.spec -> 'reminders')::json AS reminders, r.name AS resource_name,
    coalesce(c.version, 0)::bigint AS customer_version, c.unsubscribed_at,
    t.slug, t.name AS tenant_name, (t.status <> 'active')::bool AS suspended, t.settings,
    coalesce(t.email_templates -> sqlc.arg(template)::text, '{}')::json AS template,
    EXISTS (
        SELECT FROM payments p
        WHERE p.tenant_id = b.tenant_id AND p.booking_id = b.booking_id AND p.status IN ('started', 'unknown', 'processing')
          AND NOT p.automatic AND p.refund_of IS NULL) AS paying
FROM bookings b
JOIN services s ON s.tenant_id = b.tenant_id AND s.service_id = b.service_id
JOIN resources r ON r.tenant_id = b.tenant_id AND r.resource_id = b.resource_id
LEFT JOIN customers c ON c.tenant_id = b.tenant_id AND c.customer_id = b.customer_id
JOIN tenants t ON t.tenant_id = b.tenant_id
WHERE b.tenant_id = $1 AND b.booking_id = sqlc.arg(booking_id);

-- name: MessageDataOfTenant :one
-- MessageDataOfTenant is MessageDataOfBooking for messages about a customer.
SELECT t.slug, t.name AS tenant_name, t.time_zone AS tenant_time_zone, (t.status <> 'active')::bool AS suspended, t.settings,
    coalesce(t.email_templates -> sqlc.arg(template)::text, '{}')::json AS template
FROM tenants t
WHERE t.tenant_id = $1;

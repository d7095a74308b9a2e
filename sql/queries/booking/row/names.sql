-- name: BookingIDsTaken :many
-- BookingIDsTaken tells which of some ids are in use by what has a history: a booking that took such an id would share its history.
SELECT i.id::uuid AS id
FROM unnest(sqlc.arg(ids)::uuid[]) AS i (id)
WHERE EXISTS (SELECT 1 FROM bookings b WHERE b.tenant_id = $1 AND b.booking_id = i.id)
   OR EXISTS (SELECT 1 FROM customers c WHERE c.tenant_id = $1 AND c.customer_id = i.id)
   OR EXISTS (SELECT 1 FROM resources r WHERE r.tenant_id = $1 AND r.resource_id = i.id)
   OR EXISTS (SELECT 1 FROM services s WHERE s.tenant_id = $1 AND s.service_id = i.id)
   OR EXISTS (SELECT 1 FROM closures k WHERE k.tenant_id = $1 AND k.closure_id = i.id)
   OR EXISTS (SELECT 1 FROM blocks l WHERE l.tenant_id = $1 AND l.block_id = i.id);

-- name: BookingReferencesTaken :many
-- BookingReferencesTaken tells which of some references bookings have, whatever became of the bookings.
SELECT r.reference::text AS reference
FROM unnest(sqlc.arg(own_references)::text[]) AS r (reference)
CROSS JOIN LATERAL (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.reference = r.reference AND b.reference IS NOT NULL
    LIMIT 1
) AS b;

-- name: BookingExternalReferencesTaken :many
SELECT r.reference::text AS reference
FROM unnest(sqlc.arg(external_references)::text[]) AS r (reference)
CROSS JOIN LATERAL (
    SELECT 1
    FROM bookings b
    WHERE b.tenant_id = $1 AND b.external_reference = r.reference AND b.external_reference IS NOT NULL
    LIMIT 1
) AS b;

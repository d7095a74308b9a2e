-- +goose Up

-- What a booking only carries stands in one JSON object: a new text needs no column. It writes the table anew, so it asks for a stop of all
-- servers. json and not jsonb: a client reads back what it wrote, byte for byte.
ALTER TABLE bookings RENAME COLUMN metadata TO details;
ALTER TABLE bookings
    ALTER COLUMN details TYPE json USING ('{' || concat_ws(',',
        '"reference":' || to_json(reference)::text,
        '"external_reference":' || to_json(external_reference)::text,
        CASE WHEN details::text <> '{}' THEN '"metadata":' || details::text END) || '}')::json,
    ALTER COLUMN details SET DEFAULT '{}';
-- Indexes need columns: under row-level security, ->> isn't leakproof, and no index of an expression with it would be used.
ALTER TABLE bookings
    DROP COLUMN reference,
    DROP COLUMN external_reference;
ALTER TABLE bookings
    ADD COLUMN reference text GENERATED ALWAYS AS (details ->> 'reference') STORED,
    ADD COLUMN external_reference text GENERATED ALWAYS AS (details ->> 'external_reference') STORED;
CREATE UNIQUE INDEX bookings_unique_reference ON bookings (tenant_id, reference) WHERE unique_reference AND reference IS NOT NULL;
CREATE UNIQUE INDEX bookings_unique_external_reference ON bookings (tenant_id, external_reference)
    WHERE unique_external_reference AND external_reference IS NOT NULL;
CREATE INDEX bookings_list_by_reference ON bookings (tenant_id, reference, date, booking_id) WHERE reference IS NOT NULL;
CREATE INDEX bookings_list_by_external_reference ON bookings (tenant_id, external_reference, date, booking_id)
    WHERE external_reference IS NOT NULL;

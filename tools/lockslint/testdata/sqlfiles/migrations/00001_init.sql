-- +goose Up
CREATE TABLE orders (id bigint);
SELECT pg_advisory_lock(815); -- want "pg_advisory_lock is named here: take locks in the code" "the number in pg_advisory_lock has no row"

-- +goose Up

-- Emails are compared with the letters A to Z folded, and no others: lower() of Unicode makes one address of two people's. Addresses that
-- were different so far stay different.
DROP INDEX users_by_email;
CREATE UNIQUE INDEX users_by_email ON users (tenant_id, lower(email COLLATE "C")) WHERE removed_at IS NULL;

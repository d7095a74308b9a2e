-- +goose Up

-- A closure may close some hours of each of its dates, and may come back each year. A server from before this closes the whole dates, once.
SET LOCAL lock_timeout = '1s';
ALTER TABLE closures
    ADD COLUMN starts_minute int, -- after midnight by the clock, with ends_minute; null closes whole dates
    ADD COLUMN ends_minute   int,
    ADD COLUMN yearly        boolean NOT NULL DEFAULT false; -- closes the same months and days each year, from from_date on

CREATE INDEX closures_yearly ON closures (tenant_id) WHERE yearly;

GRANT UPDATE (starts_minute, ends_minute, yearly) ON closures TO holdfast_app;

-- +goose Up

-- A closure may close some hours of each of its dates, and may come back each year. A server from before this closes the whole dates, once.
ALTER TABLE closures
    ADD COLUMN starts_minute int, -- after midnight by the clock, with ends_minute; null closes whole dates
    ADD COLUMN ends_minute   int,
    ADD COLUMN yearly        boolean NOT NULL DEFAULT false; -- closes the same months and days each year, from from_date on

GRANT UPDATE (starts_minute, ends_minute, yearly) ON closures TO holdfast_app;

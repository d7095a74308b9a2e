-- +goose Up

-- For how many nights a booking is; 0 unless its service is sold as a stay.
ALTER TABLE bookings
    ADD COLUMN nights int NOT NULL DEFAULT 0;

GRANT UPDATE (nights) ON bookings TO holdfast_app;

-- +goose Up

-- A payment on the provider's page has a return_url instead of a method: where the customer goes from the page. It is part of the order,
-- which may have to be sent again, and no longer needed once the payment has an end.
ALTER TABLE payments ADD COLUMN return_url text;
-- 00043 looks at the payments that are there already, while payments go on.
ALTER TABLE payments ADD CONSTRAINT payments_return_url CHECK (return_url IS NULL
    OR (resolve_at IS NOT NULL AND refund_of IS NULL AND method = '' AND provider <> 'wallet')) NOT VALID;
GRANT UPDATE (return_url) ON payments TO holdfast_app;

-- +goose Up

-- Money that no provider sees: the provider 'offline', with the method 'cash', 'transfer' or 'terminal'. It has moved when the row says
-- succeeded: moved_at is when, and note what the person wrote who recorded it. A refund that is open says that the money must be handed
-- back and that nobody has done so; only a person completes it. No event works on it, so its lease and resolve_at are in a far year.
--
-- A server of 0.1.0 can run beside this one. Provider and method are free texts to it, so it shows and adds up these rows as it does
-- those of a wallet. It doesn't know the columns. A refund that it begins itself, of a hold that ended or as requested, has no method. It
-- finds no provider for it and keeps the refund open, as a provider that gives no answer: no money counts as returned. A server
-- that knows the columns then leaves it to a person. An erasure by a server of 0.1.0 leaves the notes.
ALTER TABLE payments ADD COLUMN note text, ADD COLUMN moved_at timestamptz;
ALTER TABLE payments ADD CONSTRAINT payments_offline CHECK (CASE WHEN provider = 'offline'
    THEN wallet_id IS NULL AND (refund_of IS NOT NULL OR status = 'succeeded') AND (status = 'succeeded') = (moved_at IS NOT NULL)
        AND (method IN ('cash', 'transfer', 'terminal') OR method = '' AND status <> 'succeeded')
    ELSE note IS NULL AND moved_at IS NULL END) NOT VALID;
GRANT UPDATE (method, note, moved_at) ON payments TO holdfast_app;

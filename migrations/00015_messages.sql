-- +goose Up

-- What a tenant sends to its customers, and when. Readers of the rules of a service get the settings with them, so the templates
-- of emails, which are long, stand apart.
ALTER TABLE tenants
    ADD COLUMN settings json NOT NULL DEFAULT '{}',
    ADD COLUMN email_templates json NOT NULL DEFAULT '{}',
    ADD COLUMN settings_version bigint NOT NULL DEFAULT 1; -- every change of name, settings and templates raises it
GRANT UPDATE (name, settings, email_templates, settings_version) ON tenants TO holdfast_app;

-- In place of the tenant's reminders; null leaves these.
ALTER TABLE services ADD COLUMN reminders json;

-- From then on the customer gets no greetings and no follow-ups.
ALTER TABLE customers ADD COLUMN unsubscribed_at timestamptz;
GRANT UPDATE (unsubscribed_at) ON customers TO holdfast_app;

-- +goose Down
ALTER TABLE customers DROP COLUMN unsubscribed_at;
ALTER TABLE services DROP COLUMN reminders;
REVOKE UPDATE (name, settings, email_templates, settings_version) ON tenants FROM holdfast_app;
ALTER TABLE tenants DROP COLUMN settings_version, DROP COLUMN email_templates, DROP COLUMN settings;

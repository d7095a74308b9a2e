-- +goose Up

-- Resources without hours of their own follow the tenant's, in the form of resources.hours. A server from before this doesn't know them:
-- it takes such resources for always open.
ALTER TABLE tenants
    ADD COLUMN hours jsonb NOT NULL DEFAULT '{}';

GRANT UPDATE (hours) ON tenants TO holdfast_app;

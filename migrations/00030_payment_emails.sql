-- +goose Up

-- The relay plans emails about payments only for tenants whose settings ask for them.
GRANT SELECT (tenant_id, settings) ON tenants TO holdfast_worker;
CREATE POLICY worker ON tenants FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker');

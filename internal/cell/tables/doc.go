// Package tables has the one list of the tables of which a tenant has rows. Moves of tenants read it. The statements of
// a tenant's export and of its deletion are generated from it, by make generate/tables.
package tables

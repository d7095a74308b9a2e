// Package tenant keeps Holdfast's customers: their names, time zones and currencies, and the API keys that
// their applications call with.
//
//	tenant.go, status.go    a tenant, and whether it may use Holdfast
//	apikey.go, key.go       an API key as its holder writes it, and as it is listed
//	scope.go, origin.go     what a key may do, and from which web pages
//	operations.go, requests.go  what can be asked of tenants and keys
//	representation.go       what the API shows
//	service.go              Service, and whose an API key is
//	keys.go                 making, rotating and revoking keys
//	uses.go                 when keys were used last
//	operator.go             the operator's changes of tenants
//	named.go                the id of a tenant that the operator names
//	export.go, deletion.go  all that a tenant has: written to a file, and deleted
//	search.go               how lists of other subjects are searched by the beginning of a name
//	stale.go                reads that a standby may serve
//	sql.go, sql_keys.go, sql_operator.go  the statements of tenants, of keys and of the operator
//	sql_tables_gen.go       the tables that an export reads and a deletion empties, generated
package tenant

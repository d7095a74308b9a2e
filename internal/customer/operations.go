package customer

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpArchiveCustomer = operation.Operation{Name: "archive-customer", Scope: operation.ScopeBook, Once: true}
	OpChangeCustomer  = operation.Operation{Name: "change-customer", Scope: operation.ScopeCustomers}
	OpCreateCustomer  = operation.Operation{Name: "create-customer", Scope: operation.ScopeBook, Once: true}
	OpEraseCustomer   = operation.Operation{Name: "erase-customer", Scope: operation.ScopeAdmin, Once: true}
	// An export is some lists with up to 1,000 rows each.
	OpExportCustomer    = operation.Operation{Name: "export-customer", Scope: operation.ScopeAdmin, Permits: 8}
	OpGetCustomer       = operation.Operation{Name: "get-customer", Scope: operation.ScopeRead}
	OpListCustomers     = operation.Operation{Name: "list-customers", Scope: operation.ScopeRead, List: true}
	OpMergeCustomer     = operation.Operation{Name: "merge-customer", Scope: operation.ScopeAdmin, Once: true}
	OpUnarchiveCustomer = operation.Operation{Name: "unarchive-customer", Scope: operation.ScopeBook, Once: true}
)

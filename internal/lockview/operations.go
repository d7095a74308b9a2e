package lockview

import "holdfast/internal/operation"

// The operations: what the requests are called and need.
var (
	OpListLocks = operation.Operation{Name: "list-locks"}
)

// Package operation describes what callers can ask of Holdfast: how a request is called, what it needs and what it
// costs. Each subject declares its operations. The API and the pages are views of them. Package httpapi declares those
// that many subjects have, such as histories. It also names the variants of a view, such as a list as CSV.
//
//	operation.go  Operation
//	scope.go      what a caller may do
package operation

// Operation is what a caller can ask for.
type Operation struct {
	// Name is the operation's id in the API's document.
	Name string
	// Scope is what a tenant's key, or a person's role, must be allowed to do; empty for what no tenant asks.
	Scope Scope
	// Permits is what a request costs at admission; zero is one permit. With List it follows from the rows: see
	// ListPermits.
	Permits int
	List    bool
	// CallsProvider says that a request waits for the payment provider.
	CallsProvider bool
	// Once says that a request has an idempotency key and is served once.
	Once bool
}

// rowsPerPermit is how many rows of a list a permit is for.
const rowsPerPermit = 50

// FullPage is the permits of the longest page of a list.
const FullPage = 200 / rowsPerPermit

// ListPermits returns the permits of a page of a list with at most limit rows.
func ListPermits(limit int) int {
	return min(max(1, (limit+rowsPerPermit-1)/rowsPerPermit), FullPage)
}

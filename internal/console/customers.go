package console

import (
	"net/http"
	"strings"
	"time"

	"holdfast/internal/customer"
	"holdfast/internal/operation"
	"holdfast/internal/web"
)

// costOfCustomer is the permits of a customer with bookings, wallets, history and messages.
const costOfCustomer = 4

// routeCustomers adds the pages of customers.
func (c *Console) routeCustomers() {
	list, read := need{scope: operation.ScopeRead, cost: costOfList}, need{scope: operation.ScopeRead,
		cost: costOfCustomer}
	book, change := need{scope: operation.ScopeBook}, need{scope: operation.ScopeCustomers}
	admin, find := need{scope: operation.ScopeAdmin}, need{scope: operation.ScopeAdmin, cost: costOfList}
	c.get("/customers", list, c.showCustomers)
	c.get("/customers/new", book, c.showNewCustomer)
	c.post("/customers/new", book.on(c.showNewCustomer, 0), c.createCustomer)
	c.get("/customers/:id", read, c.showCustomer)
	c.get("/customers/:id/change", change, c.showCustomerChange)
	c.post("/customers/:id/change", change.on(c.showCustomerChange, 0), c.changeCustomer)
	c.post("/customers/:id/archive", book.on(c.showCustomer, 1), c.archiveCustomer)
	c.post("/customers/:id/unarchive", book.on(c.showCustomer, 1), c.unarchiveCustomer)
	c.get("/customers/:id/merge", find, c.showMerge)
	c.get("/customers/:id/merge/:into", admin, c.askToMerge)
	c.post("/customers/:id/merge/:into", admin.on(c.askToMerge, 0), c.mergeCustomer)
	c.get("/customers/:id/erase", admin, c.askToErase)
	c.post("/customers/:id/erase", admin.on(c.askToErase, 0), c.eraseCustomer)
	c.get("/customers/:id/export", needOf(customer.OpExportCustomer), c.exportCustomer)
}

// customersPage are the customers that were asked for.
type customersPage struct {
	Path     string
	Location *time.Location
	Text     string
	Archived bool
	Rows     []customer.Details
	Next     string // path of the page that follows; empty on the last one
	MayBook  bool
}

func (c *Console) showCustomers(v *visit) error {
	page := customersPage{
		Path: v.path("customers"), Location: v.tenant().Location, Text: strings.TrimSpace(v.Query.Get("q")),
		Archived: v.Query.Get("archived") != "",
		MayBook:  v.May(operation.ScopeBook),
	}
	f := customer.Filter{Archived: page.Archived, Limit: pageSize + 1}
	var err error
	if f.After, err = v.After(); err != nil {
		return err
	}
	list, err := c.findCustomers(v, f, page.Text)
	if err != nil {
		return err
	}
	page.Rows, page.Next = web.Page(v, list, pageSize, func(last customer.Details) string { return last.ID.String() })
	return c.render(v, http.StatusOK, "customers", "Customers", page)
}

// customerOfPath returns the customer that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) customerOfPath(v *visit, parameter string) (customer.Details, error) {
	return c.Customers.Get(v.ctx(), v.tenant(), v.ID(parameter))
}

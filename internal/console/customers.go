package console

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/customer"
	"holdfast/internal/operation"
	"holdfast/internal/web"
)

// costOfCustomer is the permits of a customer with bookings, wallets, history and messages.
const costOfCustomer = 4

// Bounds of a search, in characters, as of the API's.
const (
	minSearch = 3
	maxSearch = 200
	maxEmail  = 254
)

// routeCustomers adds the pages of customers.
func (c *Console) routeCustomers(of *gin.RouterGroup) {
	list, read := need{scope: operation.ScopeRead, cost: costOfList}, need{scope: operation.ScopeRead,
		cost: costOfCustomer}
	book, change := need{scope: operation.ScopeBook}, need{scope: operation.ScopeCustomers}
	admin, find := need{scope: operation.ScopeAdmin}, need{scope: operation.ScopeAdmin, cost: costOfList}
	of.GET("/customers", c.handle(list, c.user, c.showCustomers))
	of.GET("/customers/new", c.handle(book, c.user, c.showNewCustomer))
	of.POST("/customers/new", c.handle(book.on(c.showNewCustomer, 0), c.user, c.createCustomer))
	of.GET("/customers/:id", c.handle(read, c.user, c.showCustomer))
	of.GET("/customers/:id/change", c.handle(change, c.user, c.showCustomerChange))
	of.POST("/customers/:id/change", c.handle(change.on(c.showCustomerChange, 0), c.user, c.changeCustomer))
	of.POST("/customers/:id/archive", c.handle(book.on(c.showCustomer, 1), c.user, c.archiveCustomer))
	of.POST("/customers/:id/unarchive", c.handle(book.on(c.showCustomer, 1), c.user, c.unarchiveCustomer))
	of.GET("/customers/:id/merge", c.handle(find, c.user, c.showMerge))
	of.GET("/customers/:id/merge/:into", c.handle(admin, c.user, c.askToMerge))
	of.POST("/customers/:id/merge/:into", c.handle(admin.on(c.askToMerge, 0), c.user, c.mergeCustomer))
	of.GET("/customers/:id/erase", c.handle(admin, c.user, c.askToErase))
	of.POST("/customers/:id/erase", c.handle(admin.on(c.askToErase, 0), c.user, c.eraseCustomer))
	of.GET("/customers/:id/export", c.handle(needOf(customer.OpExportCustomer), c.user, c.exportCustomer))
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

// findCustomers returns the customers of a filter that a text names: by the email, or else by what the name, the email or the phone begins
// with. Without a text it returns all. Errors: problem.ValidationFailed.
func (c *Console) findCustomers(v *visit, f customer.Filter, text string) ([]customer.Details, error) {
	if text == "" {
		return c.Customers.List(v.ctx(), v.tenant(), f)
	}
	if strings.Contains(text, "@") {
		if err := checkLength("q", text, minSearch, maxEmail); err != nil {
			return nil, err
		}
		byEmail := f
		byEmail.Email = text
		if list, err := c.Customers.List(v.ctx(), v.tenant(), byEmail); err != nil || len(list) > 0 {
			return list, err
		}
	}
	if err := checkLength("q", text, minSearch, maxSearch); err != nil {
		return nil, err
	}
	f.Text = text
	return c.Customers.List(v.ctx(), v.tenant(), f)
}

// customerOfPath returns the customer that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) customerOfPath(v *visit, parameter string) (customer.Details, error) {
	return c.Customers.Get(v.ctx(), v.tenant(), v.ID(parameter))
}

// customerPath is the path of a customer, or below it.
func (v *visit) customerPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"customers", id.String()}, below...)...)
}

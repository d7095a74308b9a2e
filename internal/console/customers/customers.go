package customers

import (
	"net/http"
	"strings"
	"time"

	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/operation"
	"holdfast/internal/web"
)

// costOfCustomer is the permits of a customer with bookings, wallets, history and messages.
const costOfCustomer = 4

// routeCustomers adds the pages of customers.
func (s section) routeCustomers() {
	list, read := frame.Need{Scope: operation.ScopeRead, Cost: frame.CostOfList}, frame.Need{Scope: operation.ScopeRead,
		Cost: costOfCustomer}
	book, change := frame.Need{Scope: operation.ScopeBook}, frame.Need{Scope: operation.ScopeCustomers}
	admin, find := frame.Need{Scope: operation.ScopeAdmin},
		frame.Need{Scope: operation.ScopeAdmin, Cost: frame.CostOfList}
	s.Get("/customers", list, s.showCustomers)
	s.Get("/customers/new", book, s.showNewCustomer)
	s.Post("/customers/new", book.On(s.showNewCustomer, 0), s.createCustomer)
	s.Get("/customers/:id", read, s.showCustomer)
	s.Get("/customers/:id/change", change, s.showCustomerChange)
	s.Post("/customers/:id/change", change.On(s.showCustomerChange, 0), s.changeCustomer)
	s.Post("/customers/:id/archive", book.On(s.showCustomer, 1), s.archiveCustomer)
	s.Post("/customers/:id/unarchive", book.On(s.showCustomer, 1), s.unarchiveCustomer)
	s.Get("/customers/:id/merge", find, s.showMerge)
	s.Get("/customers/:id/merge/:into", admin, s.askToMerge)
	s.Post("/customers/:id/merge/:into", admin.On(s.askToMerge, 0), s.mergeCustomer)
	s.Get("/customers/:id/erase", admin, s.askToErase)
	s.Post("/customers/:id/erase", admin.On(s.askToErase, 0), s.eraseCustomer)
	s.Get("/customers/:id/export", frame.NeedOf(customer.OpExportCustomer), s.exportCustomer)
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

func (s section) showCustomers(v *frame.Visit) error {
	page := customersPage{
		Path: v.Path("customers"), Location: v.Tenant().Location, Text: strings.TrimSpace(v.Query.Get("q")),
		Archived: v.Query.Get("archived") != "",
		MayBook:  v.May(operation.ScopeBook),
	}
	f := customer.Filter{Archived: page.Archived, Limit: frame.PageSize + 1}
	var err error
	if f.After, err = v.After(); err != nil {
		return err
	}
	list, err := s.FindCustomers(v, f, page.Text)
	if err != nil {
		return err
	}
	page.Rows, page.Next = web.Page(v, list, frame.PageSize,
		func(last customer.Details) string { return last.ID.String() })
	return s.Render(v, http.StatusOK, "customers", "Customers", page)
}

// customerOfPath returns the customer that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s section) customerOfPath(v *frame.Visit, parameter string) (customer.Details, error) {
	return s.Customers.Get(v.Context(), v.Tenant(), v.ID(parameter))
}

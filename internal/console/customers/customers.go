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
	p := s.forms()
	s.Get("/customers", frame.NeedOf(customer.OpListCustomers), s.showCustomers)
	s.FormPage("/customers/new", customer.OpCreateCustomer, p.ShowNew, p.CreateNew)
	s.Get("/customers/:id", frame.Need{Scope: customer.OpGetCustomer.Scope, Cost: costOfCustomer}, s.showCustomer)
	s.FormPage("/customers/:id/change", customer.OpChangeCustomer, p.ShowChange, p.ChangeOne)
	s.Form("/customers/:id/archive", customer.OpArchiveCustomer, s.showCustomer, 1, s.archiveCustomer)
	s.Form("/customers/:id/unarchive", customer.OpUnarchiveCustomer, s.showCustomer, 1, s.unarchiveCustomer)
	find := frame.Need{Scope: customer.OpMergeCustomer.Scope, Cost: frame.CostOfList}
	s.Get("/customers/:id/merge", find, s.showMerge)
	s.FormPage("/customers/:id/merge/:into", customer.OpMergeCustomer, s.askToMerge, s.mergeCustomer)
	s.FormPage("/customers/:id/erase", customer.OpEraseCustomer, s.askToErase, s.eraseCustomer)
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

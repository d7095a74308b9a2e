package customers

import (
	"context"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// forms are the pages with the form of a customer.
func (s section) forms() *frame.Things[customer.Details] {
	return &frame.Things[customer.Details]{
		Console: s.Console,
		Section: "customers",
		Path:    "customers",
		Shown:   true,

		Get: s.Customers.Get,
		About: func(c customer.Details) frame.About {
			return frame.About{ID: c.ID, Version: c.Version, Name: c.Name, Spec: c.Body()}
		},
		Form: func(v *frame.Visit, _ *customer.Details) (form.Form, error) { return customerForm(v.Tenant()), nil },

		NewPage: frame.EditPage{Heading: "New customer", Button: "Save"},
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			return frame.Create(s.Console, v, d, s.createCustomer)
		},
		Made: func(v *frame.Visit, made idempotency.Outcome) error {
			return v.Done("customer_made", v.CustomerPath(made.ID))
		},

		ChangePage: func(_ *frame.Visit, c customer.Details) (frame.EditPage, error) {
			const help = "Bookings keep the contact that was given for them."
			page := frame.EditPage{Heading: "Change " + c.Name, Help: help, Beside: true, BackBeside: true}
			return page, c.CheckPresent()
		},
		Change: func(v *frame.Visit, _ customer.Details, d form.Document) error {
			return frame.Change(s.Console, v, d, s.Customers.Change)
		},
	}
}

// customerForm is the form of a customer.
func customerForm(t tenant.Tenant) form.Form {
	return form.Of[customer.CustomerSpecBody](t, []form.Group{{Label: "Customer", Fields: []form.Field{
		{Name: "name", Label: "Name"},
		{Name: "email", Label: "Email", Kind: form.KindEmail},
		{Name: "phone", Label: "Phone", Kind: form.KindPhone},
		{Name: "time_zone", Label: "Time zone", Help: "That of your business if empty."},
		{Name: "birthday", Label: "Birthday"},
	}}})
}

func (s section) createCustomer(ctx context.Context, t tenant.Tenant, r idempotency.Request,
	spec customer.CustomerSpecBody,
) (idempotency.Outcome, error) {
	wanted, err := spec.Customer("")
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return s.Customers.Create(ctx, t, r, wanted)
}

func (s section) archiveCustomer(v *frame.Visit) error {
	return s.setArchived(v, true, "customer_archived")
}

func (s section) unarchiveCustomer(v *frame.Visit) error {
	return s.setArchived(v, false, "customer_listed")
}

// setArchived takes a customer out of the lists, or puts it back.
func (s section) setArchived(v *frame.Visit, archived bool, done string) error {
	id := v.ID("id")
	return s.DoOnce(v, done, v.CustomerPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Customers.Archive(v.Context(), v.Tenant(), r, id, archived, v.Version())
	})
}

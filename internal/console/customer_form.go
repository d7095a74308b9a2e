package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
)

// customerFormPage asks for what is known of a customer.
type customerFormPage struct {
	Path    string
	Back    string
	New     bool
	Version int64
	// Name, Email, Phone, TimeZone and Birthday are those of the fields.
	Name, Email, Phone, TimeZone, Birthday string
}

func (c *Console) showNewCustomer(v *visit) error {
	page := customerFormPage{Path: v.path("customers", "new"), Back: v.path("customers"), New: true}
	return c.render(v, http.StatusOK, "customer_form", "New customer", page)
}

func (c *Console) showCustomerChange(v *visit) error {
	found, err := c.customerOfPath(v, "id")
	if err == nil {
		err = found.CheckPresent()
	}
	if err != nil {
		return err
	}
	body := found.Body()
	text := func(given *string) string {
		if given == nil {
			return ""
		}
		return *given
	}
	return c.render(v, http.StatusOK, "customer_form", "Change "+found.Name, customerFormPage{
		Path: v.customerPath(found.ID, "change"), Back: v.customerPath(found.ID), Version: found.Version, Name: found.Name,
		Email: found.Email, Phone: text(body.Phone), TimeZone: text(body.TimeZone), Birthday: text(body.Birthday),
	})
}

// customerIn returns the customer that a form describes.
func customerIn(form url.Values) customer.CustomerSpecBody {
	field := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return customer.CustomerSpecBody{
		Name: field("name"), Email: field("email"), Phone: optional(field("phone")), TimeZone: optional(field("time_zone")),
		Birthday: optional(field("birthday")),
	}
}

func (c *Console) createCustomer(v *visit) error {
	wanted, err := customerIn(v.Form).Customer("")
	if err != nil {
		return err
	}
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Customers.Create(v.ctx(), v.tenant(), r, wanted)
	})
	if err != nil {
		return err
	}
	return v.done("customer_made", v.customerPath(response.ID))
}

func (c *Console) changeCustomer(v *visit) error {
	id := v.ID("id")
	given := customerIn(v.Form)
	// A field that was emptied is null, which removes what was known.
	patch, err := json.Marshal(map[string]any{
		"name": given.Name, "email": given.Email, "phone": given.Phone, "time_zone": given.TimeZone, "birthday": given.Birthday,
	})
	if err != nil {
		return err
	}
	changed := mergepatch.Of[customer.CustomerSpecBody](string(patch))
	if _, err := c.Customers.Change(v.ctx(), v.tenant(), id, changed, v.version()); err != nil {
		return err
	}
	return v.done("changed", v.customerPath(id))
}

func (c *Console) archiveCustomer(v *visit) error { return c.setArchived(v, true, "customer_archived") }

func (c *Console) unarchiveCustomer(v *visit) error {
	return c.setArchived(v, false, "customer_listed")
}

// setArchived takes a customer out of the lists, or puts it back.
func (c *Console) setArchived(v *visit, archived bool, done string) error {
	id := v.ID("id")
	return c.doOnce(v, done, v.customerPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Customers.Archive(v.ctx(), v.tenant(), r, id, archived, v.version())
	})
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

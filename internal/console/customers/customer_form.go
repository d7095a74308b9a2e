package customers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"holdfast/internal/console/frame"
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

func (s section) showNewCustomer(v *frame.Visit) error {
	page := customerFormPage{Path: v.Path("customers", "new"), Back: v.Path("customers"), New: true}
	return s.Render(v, http.StatusOK, "customer_form", "New customer", page)
}

func (s section) showCustomerChange(v *frame.Visit) error {
	found, err := s.customerOfPath(v, "id")
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
	return s.Render(v, http.StatusOK, "customer_form", "Change "+found.Name, customerFormPage{
		Path:     v.CustomerPath(found.ID, "change"),
		Back:     v.CustomerPath(found.ID),
		Version:  found.Version,
		Name:     found.Name,
		Email:    found.Email,
		Phone:    text(body.Phone),
		TimeZone: text(body.TimeZone),
		Birthday: text(body.Birthday),
	})
}

// customerIn returns the customer that a form describes.
func customerIn(form url.Values) customer.CustomerSpecBody {
	field := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return customer.CustomerSpecBody{
		Name: field("name"), Email: field("email"), Phone: optional(field("phone")),
		TimeZone: optional(field("time_zone")),
		Birthday: optional(field("birthday")),
	}
}

func (s section) createCustomer(v *frame.Visit) error {
	wanted, err := customerIn(v.Form).Customer("")
	if err != nil {
		return err
	}
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Customers.Create(v.Context(), v.Tenant(), r, wanted)
	})
	if err != nil {
		return err
	}
	return v.Done("customer_made", v.CustomerPath(response.ID))
}

func (s section) changeCustomer(v *frame.Visit) error {
	id := v.ID("id")
	given := customerIn(v.Form)
	// A field that was emptied is null, which removes what was known.
	patch, err := json.Marshal(map[string]any{
		"name": given.Name, "email": given.Email, "phone": given.Phone, "time_zone": given.TimeZone,
		"birthday": given.Birthday,
	})
	if err != nil {
		return err
	}
	changed := mergepatch.Of[customer.CustomerSpecBody](string(patch))
	if _, err := s.Customers.Change(v.Context(), v.Tenant(), id, changed, v.Version()); err != nil {
		return err
	}
	return v.Done("changed", v.CustomerPath(id))
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

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

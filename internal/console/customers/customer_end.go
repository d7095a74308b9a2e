package customers

import (
	"encoding/json"
	"net/http"
	"strings"

	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// mergePage asks into which customer another one is merged.
type mergePage struct {
	customer.Details

	Path  string
	Back  string
	Text  string
	Asked bool
	Found []customer.Details
	More  bool              // more are found than the page offers
	Into  *customer.Details // nil until one is chosen
}

func (s section) showMerge(v *frame.Visit) error {
	page, err := s.mergeOfPath(v)
	if err != nil {
		return err
	}
	page.Text = strings.TrimSpace(v.Query.Get("q"))
	if page.Asked = page.Text != ""; page.Asked {
		list, err := s.FindCustomers(v, customer.Filter{Limit: frame.MaxChoice + 2}, page.Text)
		if err != nil {
			return err
		}
		for _, other := range list {
			if other.ID != page.ID {
				page.Found = append(page.Found, other)
			}
		}
		page.More = len(page.Found) > frame.MaxChoice
		page.Found = page.Found[:min(len(page.Found), frame.MaxChoice)]
	}
	return s.Render(v, http.StatusOK, "merge", "Merge "+page.Name, page)
}

// mergeOfPath returns the page about the customer of the path. Errors: problem.NotFound; problem.InvalidState for one
// who was erased or merged.
func (s section) mergeOfPath(v *frame.Visit) (page mergePage, err error) {
	if page.Details, err = s.customerOfPath(v, "id"); err == nil {
		err = page.CheckPresent()
	}
	page.Path, page.Back = v.CustomerPath(page.ID, "merge"), v.CustomerPath(page.ID)
	return page, err
}

func (s section) askToMerge(v *frame.Visit) error {
	page, err := s.mergeOfPath(v)
	if err != nil {
		return err
	}
	into, err := s.customerOfPath(v, "into")
	if err == nil {
		err = into.CheckPresent()
	}
	if err == nil && into.ID == page.ID {
		err = problem.Invalid("into", "same_customer", "Choose another customer.")
	}
	if err != nil {
		return err
	}
	page.Into = &into
	return s.Render(v, http.StatusOK, "merge", "Merge "+page.Name, page)
}

func (s section) mergeCustomer(v *frame.Visit) error {
	id, into := v.ID("id"), v.ID("into")
	to := v.CustomerPath(into)
	return s.DoOnce(v, "customer_merged", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Persons.Merge(v.Context(), v.Tenant(), r, id, into, v.Version())
	})
}

// erasePage asks whether a customer's personal data are to be erased.
type erasePage struct {
	customer.Details

	Path string
	Back string
}

func (s section) askToErase(v *frame.Visit) error {
	found, err := s.customerOfPath(v, "id")
	if err == nil {
		err = found.CheckPresent()
	}
	if err != nil {
		return err
	}
	page := erasePage{Details: found, Path: v.CustomerPath(found.ID, "erase"), Back: v.CustomerPath(found.ID)}
	return s.Render(v, http.StatusOK, "erase", "Erase "+found.Name, page)
}

func (s section) eraseCustomer(v *frame.Visit) error {
	id := v.ID("id")
	return s.DoOnce(v, "customer_erased", v.CustomerPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Persons.Erase(v.Context(), v.Tenant(), r, id, v.Version())
	})
}

// exportCustomer sends what is stored of a customer as a file.
func (s section) exportCustomer(v *frame.Visit) error {
	id := v.ID("id")
	body, err := s.Persons.Export(v.Context(), v.Tenant(), id)
	if err != nil {
		return err
	}
	document, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return err
	}
	v.SetHeaders()
	v.C.Header("Content-Disposition", `attachment; filename="customer-`+id.String()+`.json"`)
	v.C.Data(http.StatusOK, "application/json", document)
	return nil
}

package console

import (
	"encoding/json"
	"net/http"
	"strings"

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

func (c *Console) showMerge(v *visit) error {
	page, err := c.mergeOfPath(v)
	if err != nil {
		return err
	}
	page.Text = strings.TrimSpace(v.Query.Get("q"))
	if page.Asked = page.Text != ""; page.Asked {
		list, err := c.findCustomers(v, customer.Filter{Limit: maxChoice + 2}, page.Text)
		if err != nil {
			return err
		}
		for _, other := range list {
			if other.ID != page.ID {
				page.Found = append(page.Found, other)
			}
		}
		page.More = len(page.Found) > maxChoice
		page.Found = page.Found[:min(len(page.Found), maxChoice)]
	}
	return c.render(v, http.StatusOK, "merge", "Merge "+page.Name, page)
}

// mergeOfPath returns the page about the customer of the path. Errors: problem.NotFound; problem.InvalidState for one who was erased or
// merged.
func (c *Console) mergeOfPath(v *visit) (page mergePage, err error) {
	if page.Details, err = c.customerOfPath(v, "id"); err == nil {
		err = page.CheckPresent()
	}
	page.Path, page.Back = v.customerPath(page.ID, "merge"), v.customerPath(page.ID)
	return page, err
}

func (c *Console) askToMerge(v *visit) error {
	page, err := c.mergeOfPath(v)
	if err != nil {
		return err
	}
	into, err := c.customerOfPath(v, "into")
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
	return c.render(v, http.StatusOK, "merge", "Merge "+page.Name, page)
}

func (c *Console) mergeCustomer(v *visit) error {
	id, into := v.ID("id"), v.ID("into")
	to := v.customerPath(into)
	return c.doOnce(v, "customer_merged", to, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Persons.Merge(v.ctx(), v.tenant(), r, id, into, v.version())
	})
}

// erasePage asks whether a customer's personal data are to be erased.
type erasePage struct {
	customer.Details

	Path string
	Back string
}

func (c *Console) askToErase(v *visit) error {
	found, err := c.customerOfPath(v, "id")
	if err == nil {
		err = found.CheckPresent()
	}
	if err != nil {
		return err
	}
	page := erasePage{Details: found, Path: v.customerPath(found.ID, "erase"), Back: v.customerPath(found.ID)}
	return c.render(v, http.StatusOK, "erase", "Erase "+found.Name, page)
}

func (c *Console) eraseCustomer(v *visit) error {
	id := v.ID("id")
	return c.doOnce(v, "customer_erased", v.customerPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Persons.Erase(v.ctx(), v.tenant(), r, id, v.version())
	})
}

// exportCustomer sends what is stored of a customer as a file.
func (c *Console) exportCustomer(v *visit) error {
	id := v.ID("id")
	body, err := c.Persons.Export(v.ctx(), v.tenant(), id)
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

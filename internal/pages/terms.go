package pages

import (
	"net/http"

	"holdfast/internal/problem"
)

// termsPage is a tenant's terms.
type termsPage struct{ Text string }

func (p *Pages) showTerms(v *visit) error {
	if v.page.Terms == "" {
		return problem.Missing()
	}
	return p.render(v, http.StatusOK, "terms", v.text("terms"), termsPage{v.page.Terms})
}

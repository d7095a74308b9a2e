package customers

import (
	"embed"

	"holdfast/internal/console/frame"
)

//go:embed templates
var templates embed.FS

var pages = frame.NewPages(templates)

// section has the pages of customers.
type section struct{ *frame.Console }

// Route adds the pages of customers to a console.
func Route(c *frame.Console) {
	s := section{c.With(pages)}
	s.routeCustomers()
}

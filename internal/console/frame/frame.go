package frame

import (
	"strings"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
)

// Config says how the console is served.
type Config struct {
	// PublicURL is where people reach this server. Cookies are for https only if it is.
	PublicURL string
	// Admission decides which requests are worked on. It is that of the API: a tenant's share holds for both.
	Admission *admission.Admission
	// CheckBody checks a JSON document as the API checks the body of a request that shows a type, or of a patch of it.
	CheckBody web.CheckBody
}

// Console has what the pages of all sections need. A section embeds it. It is safe for concurrent use.
type Console struct {
	Config
	usecase.All

	policy web.Policy
	routes *gin.RouterGroup // of a tenant's console
	pages  Pages            // of the section
}

// New returns what the sections of the console on e need.
func New(e *edge.Edge, cfg Config, use usecase.All) *Console {
	return &Console{
		Config: cfg, All: use, routes: e.Routes("/console", edge.FromSlug).Group("/:slug"),
		// Codes of gift cards are money.
		policy: web.Policy{
			Secure: strings.HasPrefix(cfg.PublicURL, "https://"), FillsQuery: true, Secrets: []string{"code"},
		},
	}
}

// With returns the console with the pages of a section, which can also show those of all sections.
func (c *Console) With(pages Pages) *Console {
	with := *c
	with.pages = pages
	return &with
}

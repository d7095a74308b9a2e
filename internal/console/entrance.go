package console

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"holdfast/internal/console/frame"
	"holdfast/internal/httpapi/edge"
)

// entrancePage asks for a business, and leads to its booking page or its console.
type entrancePage struct {
	// Console says that the console is meant, and not also the booking page.
	Console bool
}

// ServeEntrance adds the pages that ask which business is meant: /start, to which people are led from /, for its
// booking page or its console, and /console.
func ServeEntrance(e *edge.Edge) {
	e.Routes(edge.StartPath, edge.NoTenant).GET("", func(g *gin.Context) { enter(g, entrancePage{}) })
	e.Routes("/console", edge.FromSlug).GET("", func(g *gin.Context) { enter(g, entrancePage{Console: true}) })
}

func enter(g *gin.Context, page entrancePage) {
	c := new(frame.Console).With(pages)
	v := c.NewVisit(g)
	if slug := g.Query("business"); slug != "" {
		to := "/book/"
		if page.Console || g.Query("to") == "console" {
			to = "/console/"
		}
		_ = v.Finish(to + url.PathEscape(slug))
		return
	}
	title := "Holdfast"
	if page.Console {
		title = "Console"
	}
	if err := c.Render(v, http.StatusOK, "find", title, page); err != nil {
		c.Fail(v, err)
	}
}

package console

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
)

// ServeEntrance adds the page that asks whose console is meant.
func ServeEntrance(e *edge.Edge) {
	var c Console
	e.Routes().GET("/console", func(g *gin.Context) {
		v := &visit{c: g}
		if slug := g.Query("business"); slug != "" {
			_ = v.redirect("/console/" + url.PathEscape(slug))
			return
		}
		if err := c.render(v, http.StatusOK, "find", "Console", nil); err != nil {
			c.fail(v, err)
		}
	})
}

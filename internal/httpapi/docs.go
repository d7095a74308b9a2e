package httpapi

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"holdfast/internal/httpapi/edge"
)

// docsPolicy lets the documentation talk to this server only: nothing is fetched from anywhere else.
const docsPolicy = "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; " +
	"img-src 'self' data:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"

// serveRoot redirects browsers to the documentation, and tells other clients what is where.
func serveRoot(version string) gin.HandlerFunc {
	root := gin.H{
		"name": "Holdfast", "version": version, "docs": "/docs", "errors": "/docs/errors", "openapi": "/openapi.json", "health": "/healthz",
	}
	return func(c *gin.Context) {
		c.Header("Vary", "Accept")
		if strings.Contains(c.GetHeader("Accept"), "text/html") {
			c.Redirect(http.StatusSeeOther, "/docs")
			return
		}
		c.JSON(http.StatusOK, root)
	}
}

// serveDocs serves Swagger UI, which is part of the binary, at /docs, what the codes mean at /docs/errors, and the way there at /.
func serveDocs(e *edge.Edge, version string) {
	ui := v5emb.NewHandlerWithConfig(swgui.Config{Title: "Holdfast", SwaggerJSON: "/openapi.json", BasePath: "/docs"})
	serve := func(c *gin.Context) {
		c.Header("Content-Security-Policy", docsPolicy)
		switch c.Param("file") {
		case "/errors":
			c.Data(http.StatusOK, "text/html; charset=utf-8", errorsPage())
		case "", "/", "/favicon-16x16.png", "/favicon-32x32.png",
			"/swagger-ui.css", "/swagger-ui-bundle.js", "/swagger-ui-standalone-preset.js":
			ui.ServeHTTP(c.Writer, c.Request)
		default:
			edge.NotFound(c) // the file server's own answer is plain text
		}
	}
	e.Routes().GET("/", edge.CheckRequest, serveRoot(version))
	e.Routes().GET("/docs", edge.CheckRequest, serve)
	e.Routes().GET("/docs/*file", edge.CheckRequest, serve)
}

package guides

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"holdfast/docs"
	"holdfast/internal/httpapi/edge"
)

// Content security policies. The guides run no script. The reference talks to this server only: nothing is fetched from
// anywhere else.
const (
	guidesPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:; style-src 'self'"

	referencePolicy = "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; " +
		"img-src 'self' data:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"
)

// serveRoot redirects browsers to the page at which people start, and tells other clients what is where.
func serveRoot(version string) gin.HandlerFunc {
	root := gin.H{
		"name": "Holdfast", "version": version, "docs": "/docs", "reference": "/docs/reference",
		"errors":  "/docs/errors",
		"openapi": "/openapi.json", "health": "/healthz",
	}
	return func(c *gin.Context) {
		c.Header("Vary", "Accept")
		if strings.Contains(c.GetHeader("Accept"), "text/html") {
			c.Redirect(http.StatusSeeOther, edge.StartPath)
			return
		}
		c.JSON(http.StatusOK, root)
	}
}

// guidePages makes the guides of docs when the first one is asked for.
var guidePages = sync.OnceValues(func() (map[string]edge.StaticText, error) {
	pages, err := renderAll(docs.Pages, map[string]template.HTML{"errors.md": errorsPage()})
	if err != nil {
		return nil, err
	}
	texts := map[string]edge.StaticText{stylePath: edge.NewStaticText("text/css; charset=utf-8", style)}
	for path, page := range pages {
		texts[path] = edge.NewStaticText("text/html; charset=utf-8", page)
	}
	return texts, nil
})

// Serve serves the guides under /docs, Swagger UI, which is part of the binary, at /docs/reference, and the way
// there at /.
func Serve(e *edge.Edge, version string) {
	ui := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Holdfast", SwaggerJSON: "/openapi.json", BasePath: referencePath,
		SettingsUI: map[string]string{"docExpansion": `"list"`, "defaultModelsExpandDepth": "0",
			"tryItOutEnabled": "true"},
	})
	serve := func(c *gin.Context) {
		file := c.Param("file")
		switch rest, reference := strings.CutPrefix(base+file, referencePath); {
		case !reference:
		case rest == "", rest == "/", rest == "/favicon-16x16.png", rest == "/favicon-32x32.png",
			rest == "/swagger-ui.css", rest == "/swagger-ui-bundle.js", rest == "/swagger-ui-standalone-preset.js":
			c.Header("Content-Security-Policy", referencePolicy)
			ui.ServeHTTP(c.Writer, c.Request)
			return
		default:
			edge.NotFound(c) // the file server's own answer is plain text
			return
		}
		pages, err := guidePages()
		if err != nil {
			edge.WriteProblem(c, err)
			return
		}
		page, ok := pages[strings.TrimSuffix(base+file, "/")]
		if !ok {
			edge.NotFound(c)
			return
		}
		c.Header("Content-Security-Policy", guidesPolicy)
		page.Serve(c)
	}
	e.Routes("/", edge.NoTenant).GET("", edge.CheckRequest, serveRoot(version))
	of := e.Routes(base, edge.NoTenant)
	of.GET("", edge.CheckRequest, serve)
	of.GET("/*file", edge.CheckRequest, serve)
}

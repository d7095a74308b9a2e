package httpapi

import (
	"html/template"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"holdfast/internal/problem"
)

// docsPolicy lets the documentation talk to this server only: nothing is fetched from anywhere else.
const docsPolicy = "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; " +
	"img-src 'self' data:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"

// serveDocs serves Swagger UI, which is part of the binary, at /docs, and what the codes mean at /docs/errors.
func serveDocs(engine *gin.Engine) {
	ui := v5emb.NewHandlerWithConfig(swgui.Config{Title: "Holdfast", SwaggerJSON: "/openapi.json", BasePath: "/docs"})
	serve := func(c *gin.Context) {
		c.Header("Content-Security-Policy", docsPolicy)
		switch c.Param("file") {
		case "/errors":
			serveErrorCodes(c)
		case "", "/", "/favicon-16x16.png", "/favicon-32x32.png",
			"/swagger-ui.css", "/swagger-ui-bundle.js", "/swagger-ui-standalone-preset.js":
			ui.ServeHTTP(c.Writer, c.Request)
		default:
			notFound(c) // the file server's own answer is plain text
		}
	}
	engine.GET("/docs", serve)
	engine.GET("/docs/*file", serve)
}

// serveErrorCodes is where the type of a problem document leads.
func serveErrorCodes(c *gin.Context) {
	type row struct {
		Status int
		Title  string
	}
	rows := make(map[problem.Code]row, len(outcomes)) // a template walks a map in the order of its keys
	for code, o := range outcomes {
		rows[code] = row{o.status, o.title}
	}
	c.Header("Content-Type", "text/html; charset=utf-8")
	c.Status(http.StatusOK)
	page := template.Must(template.New("errors").Parse(errorsPage))
	if err := page.Execute(c.Writer, rows); err != nil {
		_ = c.Error(err) // the client has gone
	}
}

const errorsPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Holdfast – error codes</title></head><body>
<h1>Error codes</h1>
<table><tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
{{range $code, $row := .}}<tr id="{{$code}}"><td><code>{{$code}}</code></td><td>{{$row.Status}}</td><td>{{$row.Title}}</td></tr>
{{end}}</table></body></html>
`

package httpapi

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// huma recognizes problem documents by these interfaces.
var (
	_ huma.StatusError       = (*problem.Document)(nil)
	_ huma.ContentTypeFilter = (*problem.Document)(nil)
	_ huma.HeadersError      = (*problem.Document)(nil)
)

// writeProblem answers with err's problem document and ends the chain of gin handlers.
func writeProblem(c *gin.Context, err error) {
	document := problem.DocumentOf(err)
	noteProblem(c.Request.Context(), document)
	for name, values := range document.GetHeaders() {
		c.Writer.Header()[name] = values
	}
	c.Abort()
	c.Data(document.Status, document.ContentType(""), document.JSON())
}

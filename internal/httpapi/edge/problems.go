package edge

import (
	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// WriteProblem answers with err's problem document and ends the chain of gin handlers.
func WriteProblem(c *gin.Context, err error) {
	document := problem.DocumentOf(err)
	NoteProblem(c.Request.Context(), document)
	for name, values := range document.GetHeaders() {
		c.Writer.Header()[name] = values
	}
	c.Header("Cache-Control", "no-store")
	c.Abort()
	c.Data(document.Status, problem.MediaType, document.JSON())
}

// NotFound answers what no route answers.
func NotFound(c *gin.Context) { WriteProblem(c, problem.New(problem.NotFound, "")) }

func methodNotAllowed(c *gin.Context) {
	WriteProblem(c, problem.New(problem.MethodNotAllowed, "The method is not allowed here; Allow lists those that are."))
}

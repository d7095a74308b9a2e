package edge

import (
	"context"
	"net/http"

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

type refusalKey struct{}

// Refuse answers a request with err's problem document, logged and counted like any other request. The edge must have
// no route for its path.
func (e *Edge) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	e.engine.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), refusalKey{}, err)))
}

// refused answers a request that Refuse refuses.
func refused(c *gin.Context) {
	if err, ok := c.Request.Context().Value(refusalKey{}).(error); ok {
		WriteProblem(c, err)
	}
}

func methodNotAllowed(c *gin.Context) {
	WriteProblem(c, problem.New(problem.MethodNotAllowed,
		"The method is not allowed here; Allow lists those that are."))
}

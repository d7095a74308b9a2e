package console

import (
	"github.com/gin-gonic/gin"

	"holdfast/internal/web"
)

// NextPage returns the path of the page of this list that begins after a row.
func NextPage(g *gin.Context, after string) string {
	query := web.WithoutDone(g.Request.URL.Query())
	query.Set(web.FieldAfter, after)
	return g.Request.URL.Path + "?" + query.Encode()
}

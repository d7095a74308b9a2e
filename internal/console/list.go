package console

import (
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/web/refused"
)

// fieldAfter is the parameter that says where a page of a list begins.
const fieldAfter = "after"

// ParseID returns an id that the path or a form has. Errors: problem.NotFound for another text.
func ParseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.Nil, problem.Missing()
	}
	return id, nil
}

// After returns the id after which a page of a list begins, the nil one for the first page. Errors: problem.NotFound.
func After(query url.Values) (uuid.UUID, error) {
	if text := query.Get(fieldAfter); text != "" {
		return ParseID(text)
	}
	return uuid.Nil, nil
}

// NextPage returns the path of the page of this list that begins after a row.
func NextPage(g *gin.Context, after string) string {
	query := withoutDone(g.Request.URL.Query())
	query.Set(fieldAfter, after)
	return g.Request.URL.Path + "?" + query.Encode()
}

// withoutDone returns a query without what has just happened or was refused.
func withoutDone(query url.Values) url.Values {
	query.Del(fieldDone)
	query.Del(fieldUndo)
	query.Del(refused.Query)
	return query
}

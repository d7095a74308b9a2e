package edge

import (
	"mime"
	"net/url"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// ReadForm reads the whole request of a page's form, as ReadRequest does that of an API's. It returns nil for a request without a body.
//
// Errors: problem.NotFound for a path that can't exist; problem.MalformedRequest, problem.UnsupportedMediaType,
// problem.BodyTooLarge, problem.RequestTimeout.
func ReadForm(c *gin.Context) (url.Values, error) {
	if err := checkURL(c.Request.URL); err != nil {
		return nil, err
	}
	if err := ReceiveBody(c); err != nil {
		return nil, err
	}
	raw := string(RawBody(c.Request.Context()))
	if raw == "" {
		return nil, nil
	}
	if types := c.Request.Header.Values("Content-Type"); len(types) != 1 || !isForm(types[0]) {
		return nil, problem.New(problem.UnsupportedMediaType, "The request body must be application/x-www-form-urlencoded.")
	}
	form, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.Wrap(err, problem.MalformedRequest, "The form is not correctly encoded.")
	}
	for name, values := range form {
		for _, value := range values {
			if !storable(name) || !storable(value) {
				return nil, problem.New(problem.MalformedRequest, "The form holds bytes that are not valid UTF-8, or U+0000.")
			}
		}
	}
	return form, nil
}

func isForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

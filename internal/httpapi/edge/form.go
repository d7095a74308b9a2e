package edge

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// ReadForm reads the whole request of a page's form, as ReadRequest does that of an API's. It returns nil for a request
// without a body.
//
// Errors: problem.NotFound for a path that can't exist; problem.MalformedRequest, problem.UnsupportedMediaType,
// problem.BodyTooLarge, problem.RequestTimeout.
func ReadForm(c *gin.Context) (url.Values, error) {
	if err := CheckURL(c.Request.URL); err != nil {
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
		return nil, problem.New(problem.UnsupportedMediaType,
			"The request body must be application/x-www-form-urlencoded.")
	}
	form, err := url.ParseQuery(raw)
	if err != nil {
		return nil, problem.Wrap(err, problem.MalformedRequest, "The form is not correctly encoded.")
	}
	return form, checkForm(form)
}

// ReadUpload is ReadForm for a form with a file, which it returns apart from the other fields. field is the file's
// name; nil is a form without one. Nothing is written to disk: the whole form is as small as any other body. Errors:
// those of ReadForm.
func ReadUpload(c *gin.Context, field string) (form url.Values, file []byte, err error) {
	if err := CheckURL(c.Request.URL); err != nil {
		return nil, nil, err
	}
	if err := ReceiveBody(c); err != nil {
		return nil, nil, err
	}
	var media string
	var params map[string]string
	if types := c.Request.Header.Values("Content-Type"); len(types) == 1 {
		media, params, _ = mime.ParseMediaType(types[0])
	}
	if media != "multipart/form-data" {
		return nil, nil, problem.New(problem.UnsupportedMediaType, "The request body must be multipart/form-data.")
	}
	raw := RawBody(c.Request.Context())
	// the reader takes some forms that end early
	if !bytes.HasSuffix(bytes.TrimSpace(raw), []byte("--"+params["boundary"]+"--")) {
		return nil, nil, problem.New(problem.MalformedRequest, "The form is not correctly encoded.")
	}
	form = url.Values{}
	parts := multipart.NewReader(bytes.NewReader(raw), params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, file, checkForm(form)
		}
		var value []byte
		if err == nil {
			value, err = io.ReadAll(part)
		}
		if err != nil {
			return nil, nil, problem.Wrap(err, problem.MalformedRequest, "The form is not correctly encoded.")
		}
		if name := part.FormName(); name == field {
			file = value
		} else {
			form.Add(name, string(value))
		}
	}
}

// checkForm refuses text that PostgreSQL couldn't store.
func checkForm(form url.Values) error {
	for name, values := range form {
		for _, value := range values {
			if !storable(name) || !storable(value) {
				return problem.New(problem.MalformedRequest,
					"The form holds bytes that are not valid UTF-8, or U+0000.")
			}
		}
	}
	return nil
}

func isForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/x-www-form-urlencoded"
}

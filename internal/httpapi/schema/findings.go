package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
)

// maxFields bounds how many refused fields an answer lists, so that it can't be much larger than the request.
const maxFields = 50

// OverrideHuma makes huma report its own refusals as problem documents, write bounds without an exponent, and compare
// field names exactly. All are variables of the huma package, with no setting per API; this is the only place that
// writes to them. It may be called more than once.
var OverrideHuma = sync.OnceFunc(func() {
	huma.NewError = newError
	huma.ErrorFormatter = func(format string, args ...any) string { //nolint:reassign // huma's setting; its name begins like an error's
		for i, arg := range args {
			if number, ok := arg.(float64); ok {
				args[i] = strconv.FormatFloat(number, 'f', -1, 64)
			}
		}
		return fmt.Sprintf(format, args...)
	}
	huma.ValidateStrictCasing = true // else {"Name": 1, "name": 2} is one field given twice
})

// newError replaces huma.NewError. huma calls it for what it refuses itself, with a few statuses, and for what a route
// returned. No message, value or wrapped error of huma's reaches the caller unless it is known to hold nothing of the
// request.
func newError(status int, _ string, errs ...error) huma.StatusError {
	switch {
	case status == http.StatusUnprocessableEntity:
		return problem.DocumentOf(invalid(errs))
	case status == http.StatusInternalServerError && len(errs) > 0:
		return problem.DocumentOf(errors.Join(errs...))
	case status < http.StatusBadRequest: // 304, and 0 when huma asks for the type
		return &problem.Document{Status: status}
	}
	code := problem.MalformedRequest
	switch status {
	case http.StatusNotAcceptable:
		code = problem.NotAcceptable
	case http.StatusRequestTimeout:
		code = problem.RequestTimeout
	case http.StatusRequestEntityTooLarge:
		code = problem.BodyTooLarge
	case http.StatusUnsupportedMediaType:
		code = problem.UnsupportedMediaType
	case http.StatusBadRequest:
		return problem.DocumentOf(problem.New(code, "The request needs a body that is one JSON object."))
	}
	if status >= http.StatusInternalServerError {
		code = problem.Internal
	}
	document := problem.DocumentOf(problem.New(code, ""))
	if document.Detail == "" {
		document.Detail = document.Title + "."
	}
	return document
}

// invalid turns what huma's validation found into a validation_failed error. Refused path parameters don't
// count beside other fields, and alone they are not_found: an id that can't exist reads the same as one that
// doesn't.
func invalid(errs []error) error {
	found := problem.New(problem.ValidationFailed, notValid)
	wrongPath := false
	for _, err := range errs {
		var known *problem.Error
		var detail *huma.ErrorDetail
		switch {
		case errors.As(err, &known) && len(known.Fields) == 0:
			return known
		case errors.As(err, &known):
			found.Fields = append(found.Fields, known.Fields...)
		case errors.As(err, &detail) && strings.HasPrefix(detail.Location, "path."):
			wrongPath = true
		case errors.As(err, &detail):
			found.Fields = append(found.Fields, fieldOf(detail))
		default:
			found.Fields = append(found.Fields,
				problem.Field{Name: "body", Code: "invalid", Detail: "The value is not valid."})
		}
	}
	if wrongPath && len(found.Fields) == 0 {
		return problem.New(problem.NotFound, "")
	}
	return bounded(found)
}

const notValid = "The request is not valid; see errors."

// bounded sorts an error's fields, because maps are walked in random order and the same request should get the same
// answer, and leaves the first of them.
func bounded(found *problem.Error) *problem.Error {
	slices.SortStableFunc(found.Fields, func(a, b problem.Field) int { return strings.Compare(a.Name, b.Name) })
	found.Fields = found.Fields[:min(len(found.Fields), maxFields)]
	return found
}

// rule gives a code to one of huma's messages. Messages end at the first verb; where cut is set, what stands
// there came from the request or from a wrapped error and is not shown.
type rule struct {
	message string
	code    string
	cut     bool
}

// rules are tried in order: a message that begins like another stands before it.
var rules = []rule{
	{validation.MsgExpectedRequiredProperty, "required", true},
	{validation.MsgExpectedDependentRequiredProperty, "required", true},
	{"required query parameter is missing", "required", true},
	{"required header parameter is missing", "required", true},
	{"required cookie parameter is missing", "required", true},
	{validation.MsgUnexpectedProperty, "unknown_field", true},
	{"unknown query parameter", "unknown_field", true},
	{validation.MsgExpectedMinimumNumber, "too_small", false},
	{validation.MsgExpectedExclusiveMinimumNumber, "too_small", false},
	{validation.MsgExpectedMaximumNumber, "too_large", false},
	{validation.MsgExpectedExclusiveMaximumNumber, "too_large", false},
	{validation.MsgExpectedNumberBeMultipleOf, "not_multiple", false},
	{validation.MsgExpectedMinLength, "too_short", false},
	{validation.MsgExpectedMaxLength, "too_long", false},
	{validation.MsgExpectedMinItems, "too_short", false},
	{validation.MsgExpectedMaxItems, "too_long", false},
	{validation.MsgExpectedMinProperties, "too_short", false},
	{validation.MsgExpectedMaxProperties, "too_long", false},
	{validation.MsgExpectedArrayItemsUnique, "not_unique", false},
	{validation.MsgExpectedOneOf, "not_one_of", false},
	{validation.MsgExpectedBoolean, "wrong_type", false},
	{validation.MsgExpectedNumber, "wrong_type", false},
	{validation.MsgExpectedInteger, "wrong_type", false},
	{validation.MsgExpectedString, "wrong_type", false},
	{validation.MsgExpectedArray, "wrong_type", false},
	{validation.MsgExpectedObject, "wrong_type", false},
	{"invalid integer", "wrong_type", false},
	{"invalid float", "wrong_type", false},
	{"invalid boolean", "wrong_type", false},
	{validation.MsgExpectedRFC3339DateTime, "invalid_format", false},
	{validation.MsgExpectedRFC1123DateTime, "invalid_format", false},
	{validation.MsgExpectedRFC3339Date, "invalid_format", false},
	{validation.MsgExpectedRFC3339Time, "invalid_format", false},
	{validation.MsgExpectedRFC5322Email, "invalid_format", true},
	{validation.MsgExpectedRFC5890Hostname, "invalid_format", false},
	{validation.MsgExpectedRFC2673IPv4, "invalid_format", false},
	{validation.MsgExpectedRFC2373IPv6, "invalid_format", false},
	{validation.MsgExpectedRFCIPAddr, "invalid_format", false},
	{validation.MsgExpectedRFC3986URI, "invalid_format", true},
	{validation.MsgExpectedRFC4122UUID, "invalid_format", true},
	{validation.MsgExpectedRFC6570URITemplate, "invalid_format", false},
	{validation.MsgExpectedRFC6901JSONPointer, "invalid_format", false},
	{validation.MsgExpectedRFC6901RelativeJSONPointer, "invalid_format", false},
	{validation.MsgExpectedRegexp, "invalid_format", true},
	{validation.MsgExpectedDuration, "invalid_format", true},
	{validation.MsgExpectedBase64String, "invalid_format", false},
	{"invalid date/time for format %s", "invalid_format", true},
	{"invalid url.URL value", "invalid_format", false},
	{"invalid value: %s", "invalid_format", true},
	{validation.MsgExpectedMatchPattern, "pattern", false},
	{validation.MsgExpectedBePattern, "pattern", false},
}

// fieldOf says which field a finding of huma's is about, and why, in Holdfast's words.
func fieldOf(d *huma.ErrorDetail) problem.Field {
	name := d.Location
	if _, rest, ok := strings.Cut(d.Location, "."); ok {
		name = rest
	}
	if path, ok := strings.CutPrefix(d.Message, misfit); ok {
		if path != "" {
			name = path
		}
		return problem.Field{Name: name, Code: "wrong_type", Detail: "The value doesn't fit the field's type."}
	}
	for _, r := range rules {
		literal, _, open := strings.Cut(r.message, "%")
		if d.Message != literal && !(open && strings.HasPrefix(d.Message, literal)) {
			continue
		}
		switch {
		case r.code == "required":
			if property, ok := strings.CutPrefix(d.Message, literal); ok && property != "" {
				// huma reports the object; the field that it misses stands in the message and is from our schema.
				property, _, _ = strings.Cut(property, " ")
				name = strings.TrimPrefix(name+"."+property, "body.")
			}
			return problem.Field{Name: name, Code: r.code, Detail: "This field is required."}
		case r.code == "unknown_field":
			return problem.Field{Name: name, Code: r.code, Detail: "There is no such field here."}
		case r.cut:
			return problem.Field{Name: name, Code: r.code, Detail: sentence(strings.TrimRight(literal, ": "))}
		}
		return problem.Field{Name: name, Code: r.code, Detail: sentence(d.Message)}
	}
	return problem.Field{Name: name, Code: "invalid", Detail: "The value is not valid."}
}

func sentence(s string) string {
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// misfit begins the message of a value that passed the schema and still doesn't fit its Go type, such as an
// integer beyond 64 bits. The field's path follows.
const misfit = "holdfast: misfit: "

// Unmarshal is encoding/json's, with errors that hold nothing of the request.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return errors.New(misfit + mergepatch.FieldOf(wrong))
	}
	return err
}

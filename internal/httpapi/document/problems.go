package document

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/problem"
)

// common are the refusals and failures that don't depend on what an operation does: of the HTTP, of the key, of
// admission, and of the server. They stand in the document as one response for 4XX and one for 5XX, in place of a dozen
// at each operation.
var common = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout,
	http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusExpectationFailed, http.StatusTooManyRequests,
	http.StatusRequestHeaderFieldsTooLarge,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// meanings of the statuses that stand for several codes or none.
var meanings = map[int]string{
	http.StatusExpectationFailed:           "an `Expect` other than 100-continue",
	http.StatusRequestHeaderFieldsTooLarge: "the headers are too large",
}

// addProblems gives each operation the refusals and failures that it can have, each of which stands once in components.
func (d *Document) addProblems() {
	schemas := child(d.components, "schemas")
	document, ok := schemas["ProblemDocument"].(object)
	if !ok {
		return // no operation has problems
	}
	codes := make([]any, 0, len(problem.Codes()))
	for _, code := range problem.Codes() {
		codes = append(codes, string(code))
	}
	child(document, "properties")["code"] = d.component("schemas", "ErrorCode", object{
		"type": "string", "enum": codes,
		"description": "What happened, for programs. A code never changes its meaning, and new ones come: treat one that you don't " +
			"know by the " +
			"status. [All codes](/docs/errors), with what to do about each.",
	})
	for _, op := range d.operations() {
		responses := child(op.o, "responses")
		for status := range responses {
			number, _ := strconv.Atoi(status)
			switch {
			case slices.Contains(common, number):
				delete(responses, status)
			case number >= http.StatusBadRequest:
				name := strings.ReplaceAll(http.StatusText(number), " ", "")
				responses[status] = d.problemResponse(name, number)
			}
		}
		responses["4XX"] = reference("responses", "Refused")
		responses["5XX"] = reference("responses", "Failed")
	}
	var refused, failed []int
	for _, status := range common {
		if status < http.StatusInternalServerError {
			refused = append(refused, status)
		} else {
			failed = append(failed, status)
		}
	}
	d.problemResponse("Refused", refused...)
	d.problemResponse("Failed", failed...)
}

// problemResponse makes the response of some statuses and returns a reference to it.
func (d *Document) problemResponse(name string, statuses ...int) object {
	var lines []string
	var example any
	headers := object{"Request-Id": reference("headers", "Request-Id")}
	for _, status := range statuses {
		meaning := meanings[status]
		for i, code := range problem.CodesOf(status) {
			if i > 0 {
				meaning += ", "
			}
			meaning += "`" + string(code) + "`"
			if example == nil {
				example = exampleOf(code)
			}
		}
		lines = append(lines, strconv.Itoa(status)+" "+http.StatusText(status)+": "+meaning)
		for _, name := range headersOf[status] {
			if _, described := child(d.components, "headers")[name]; described {
				headers[name] = reference("headers", name)
			}
		}
	}
	return d.component("responses", name, object{
		"description": strings.Join(lines, "; ") + ".",
		"headers":     headers,
		"content": object{problem.MediaType: object{"schema": reference("schemas", "ProblemDocument"),
			"example": example}},
	})
}

// headersOf are the headers of refusals and failures.
var headersOf = map[int][]string{
	http.StatusConflict:           {"Retry-After"},
	http.StatusPreconditionFailed: {"ETag"},
	http.StatusServiceUnavailable: {"Retry-After"},
	http.StatusTooManyRequests:    {"Retry-After", "RateLimit", "RateLimit-Policy", "Preference-Applied"},
	http.StatusUnauthorized:       {"WWW-Authenticate"},
}

// exampleOf returns the problem document of a code.
func exampleOf(code problem.Code) any {
	document := problem.DocumentOf(problem.New(code, "What happened this time, in a sentence for people."))
	var value any
	_ = json.Unmarshal(document.JSON(), &value) // it is JSON
	return value
}

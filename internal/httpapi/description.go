package httpapi

import (
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/document"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// introduction begins the description of the API: what a client has to know before it calls anything. Markdown.
const introduction = `Books services by the date or the slot. A date is never sold twice, and a payment is never taken twice.

## Idempotency

Every POST that creates or moves something needs an ` + "`Idempotency-Key`" + `: a new one for every new change, the same one for every
retry of it. A retry with the same method, path and value of the body gets the stored answer, byte for byte, with
` + "`Idempotent-Replayed: true`" + `. Blanks and the order of names don't matter. A key that was used for something else gets
422 ` + "`idempotency_key_reused`" + `, which says what became of the first request: don't repeat that one with a new key. Retry after
a broken connection, a 5xx, 409 ` + "`request_in_progress`" + ` and 409 ` +
	"`version_conflict`" + ` with the same key and the same body. Keys are
kept for 30 days. PUT, PATCH and DELETE may be repeated as they are.

## Errors

Every refusal and failure is an ` + "`application/problem+json`" + ` document (RFC 9457). Programs read its ` +
	"`code`" + `, which is stable;
` + "`errors`" + ` names the fields that were refused. [All codes, and what to do about each](/docs/errors). 409 ` +
	"`request_in_progress`" + ` and
` + "`version_conflict`" + `, 429 and 503 say in ` + "`Retry-After`" + ` when to try again. ` +
	"`Request-Id`" + ` finds a request in the server's log. Unknown fields and query
parameters are refused, and so are ` + "`null`" + ` and ids in another form than their 36 characters.

## Versions

A booking has a ` + "`version`" + ` that grows with every change, also of its money, and is its ` + "`ETag`" + `. A change with
` + "`If-Match: \"3\"`" + ` is refused with 412 ` + "`version_mismatch`" + ` unless the booking is at version 3; without ` +
	"`If-Match`" + ` it is made at
any version. The refusal's ` + "`current`" +
	` is the booking as it is now. The same holds for whatever else has a version. A booking keeps
the contact that was given for it; changing the customer changes no booking.

## Responses

Every response has a ` + "`Request-Id`" + `. Those to a tenant's key have ` + "`RateLimit`" + ` and ` +
	"`RateLimit-Policy`" + ` where the server
limits rates, and ` + "`Preference-Applied`" + ` where a ` + "`Prefer`" + ` was. Any request may also be answered as 4XX and 5XX describe.`

// serveDescription serves the OpenAPI document.
func serveDescription(e *edge.Edge, a *API) {
	render := sync.OnceValues(a.document) // on first use, when all routes are known
	get := func(path, media string, encode func(*document.Document) ([]byte, error)) {
		once := sync.OnceValues(func() (staticText, error) {
			d, err := render()
			if err != nil {
				return staticText{}, err
			}
			text, err := encode(d)
			return newStaticText(media, text), err
		})
		e.Routes(path, edge.NoTenant).GET("", edge.CheckRequest, func(c *gin.Context) {
			text, err := once()
			if err != nil {
				edge.WriteProblem(c, err)
				return
			}
			text.serve(c)
		})
	}
	get("/openapi.json", "application/openapi+json",
		func(d *document.Document) ([]byte, error) { return d.JSON(), nil })
	get("/openapi.yaml", "application/openapi+yaml", (*document.Document).YAML)
}

// document returns the OpenAPI document.
func (a *API) document() (*document.Document, error) {
	return document.Render(a.huma.OpenAPI(), document.Extras{
		Tags: tags(), Examples: documentExamples(),
		Headers:    map[string][]document.Header{schemeAPIKey: actingHeaders()},
		EventTypes: append(usecase.TypesOfChanges(), webhook.PingType), Events: documentEvents(),
	})
}

// documentEvents are the events that are delivered to webhook endpoints.
func documentEvents() (list []document.Events) {
	for _, s := range usecase.Subjects {
		name := ""
		for word := range strings.SplitSeq(s.Name, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		list = append(list, document.Events{Name: name + "Event", Schema: s.Schema, About: s.About, Types: s.Types()})
	}
	return append(list, document.Events{
		Name: "PingEvent", Schema: "WebhookEndpoint", Types: []string{webhook.PingType},
		About: "the endpoint. POST /v1/webhook-endpoints/{id}/ping asks for it; it isn't in the feed",
	})
}

// Description returns the OpenAPI document as docs/openapi.json holds it.
func Description(version string) ([]byte, error) {
	d, err := New(Config{Version: version}, usecase.All{}).document()
	if err != nil {
		return nil, err
	}
	return d.Text(), nil
}

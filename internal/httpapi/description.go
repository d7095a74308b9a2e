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

// serveDescription serves the OpenAPI document.
func serveDescription(e *edge.Edge, a *API) {
	render := sync.OnceValues(a.document) // on first use, when all routes are known
	get := func(path, media string, encode func(*document.Document) ([]byte, error)) {
		once := sync.OnceValues(func() (edge.StaticText, error) {
			d, err := render()
			if err != nil {
				return edge.StaticText{}, err
			}
			text, err := encode(d)
			return edge.NewStaticText(media, text), err
		})
		e.Routes(path, edge.NoTenant).GET("", edge.CheckRequest, func(c *gin.Context) {
			text, err := once()
			if err != nil {
				edge.WriteProblem(c, err)
				return
			}
			text.Serve(c)
		})
	}
	get("/openapi.json", "application/openapi+json",
		func(d *document.Document) ([]byte, error) { return d.JSON(), nil })
	get("/openapi.yaml", "application/openapi+yaml", (*document.Document).YAML)
}

// document returns the OpenAPI document.
func (a *API) document() (*document.Document, error) {
	return document.Render(a.huma.OpenAPI(), document.Extras{
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

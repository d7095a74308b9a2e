package admission

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Describe adds to the description of an operation what admission does to its requests.
func Describe(api *huma.OpenAPI, op *huma.Operation) {
	if api.Components.Headers == nil {
		describeOnce(api.Components)
	}
	op.Parameters = append(op.Parameters, &huma.Param{Ref: "#/components/parameters/Prefer"})
	for status, response := range op.Responses {
		if strings.HasPrefix(status, "2") {
			addLimitHeaders(response)
		}
	}
}

// describeOnce makes what the operations refer to.
func describeOnce(shared *huma.Components) {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Example: example, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	shared.Headers = map[string]*huma.Header{
		"Preference-Applied": text("The preferences that were applied, in one or several headers.", "wait=5"),
		"RateLimit": text("Where the server limits rates: r requests are left to this API key (default) or this visitor (visitor), or r "+
			"holds, units times nights (stock) or payments to this visitor, and in t seconds there is one more.",
			`"default";r=50;t=1`),
		"RateLimit-Policy": text("Where the server limits rates: q requests at once, and as many again over w seconds.",
			`"default";q=100;w=1`),
		"Retry-After": {Description: "Seconds to wait before the request is sent again.",
			Schema: &huma.Schema{Type: huma.TypeInteger}},
	}
	shared.Parameters = map[string]*huma.Param{"Prefer": {
		Name: "Prefer", In: "header", Example: "wait=5", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within " +
			"this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change " +
			"would show " +
			"what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some " +
			"lists be as of a moment that lies that long ago at most. Other preferences are ignored.",
	}}
}

func addLimitHeaders(response *huma.Response) {
	if response.Headers == nil {
		response.Headers = make(map[string]*huma.Header)
	}
	for _, name := range []string{"Preference-Applied", "RateLimit", "RateLimit-Policy"} {
		response.Headers[name] = &huma.Header{Ref: "#/components/headers/" + name}
	}
}

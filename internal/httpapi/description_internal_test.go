package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescription_LimitedRoutes_DescribeLimits(t *testing.T) {
	t.Parallel()
	text, err := Description("1")
	require.NoError(t, err)
	type response struct {
		Ref     string `json:"$ref"`
		Headers map[string]json.RawMessage
		Content map[string]json.RawMessage
	}
	type parameter struct {
		Ref string `json:"$ref"`
	}
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []parameter
			Responses  map[string]response
		}
		Components struct {
			Headers, Parameters map[string]json.RawMessage
			Responses           map[string]response
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	limits := []string{"Preference-Applied", "RateLimit", "RateLimit-Policy"}
	for path, operations := range document.Paths {
		for method, o := range operations {
			if !strings.HasPrefix(path, "/v1/") {
				require.NotContains(t, o.Responses, "429", "%s %s", method, path)
				continue
			}
			require.Contains(t, o.Parameters, parameter{"#/components/parameters/Prefer"}, "%s %s", method, path)
			require.Equal(t, "#/components/responses/TooManyRequests", o.Responses["429"].Ref)
			require.Equal(t, "#/components/responses/ServiceUnavailable", o.Responses["503"].Ref)
			for status, r := range o.Responses {
				for _, header := range limits {
					require.Equal(t, strings.HasPrefix(status, "2"), r.Headers[header] != nil, "%s %s %s", method, path, status)
				}
			}
		}
	}
	require.Contains(t, document.Components.Parameters, "Prefer")
	for _, name := range []string{"TooManyRequests", "ServiceUnavailable"} {
		require.Contains(t, document.Components.Responses[name].Content, "application/problem+json")
		for _, header := range append(limits, "Retry-After") {
			require.Contains(t, document.Components.Responses[name].Headers, header)
			require.Contains(t, document.Components.Headers, header)
		}
	}
}

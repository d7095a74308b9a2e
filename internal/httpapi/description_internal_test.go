package httpapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/document"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

// described is the part of the document that these tests read.
type described struct {
	Tags  []struct{ Name, Description string }
	Paths map[string]map[string]struct {
		OperationID string
		Summary     string
		Tags        []string
		Parameters  []struct {
			Ref string `json:"$ref"`
		}
		RequestBody struct {
			Content map[string]struct{ Examples map[string]json.RawMessage }
		}
		Responses map[string]struct {
			Ref string `json:"$ref"`
		}
	}
	Webhooks   map[string]json.RawMessage
	Components struct {
		Headers, Parameters map[string]json.RawMessage
		Responses           map[string]struct {
			Description      string
			Headers, Content map[string]json.RawMessage
		}
		Schemas map[string]struct {
			Enum  []string
			OneOf []struct {
				Ref string `json:"$ref"`
			}
			Properties map[string]struct{ Enum []string }
		}
	}
}

func describe(t *testing.T) (text string, d described) {
	t.Helper()
	raw, err := Description("1")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &d))
	return string(raw), d
}

func TestDescription_EveryOperation_RefersToTheGeneralResponses(t *testing.T) {
	t.Parallel()
	_, d := describe(t)
	for path, operations := range d.Paths {
		for method, o := range operations {
			require.Equal(t, "#/components/responses/Refused", o.Responses["4XX"].Ref, "%s %s", method, path)
			require.Equal(t, "#/components/responses/Failed", o.Responses["5XX"].Ref, "%s %s", method, path)
			prefer := slices.ContainsFunc(o.Parameters, func(p struct {
				Ref string `json:"$ref"`
			}) bool {
				return p.Ref == "#/components/parameters/Prefer"
			})
			require.Equal(t, strings.HasPrefix(path, "/v1/"), prefer, "%s %s", method, path)
			for status, r := range o.Responses {
				if status >= "4" {
					require.NotEmpty(t, r.Ref, "%s %s %s: problem documents are described once", method, path, status)
				}
			}
		}
	}
	refused, failed := d.Components.Responses["Refused"], d.Components.Responses["Failed"]
	for _, status := range []string{"400", "401", "403", "408", "413", "415", "417", "429", "431"} {
		require.Contains(t, refused.Description, status+" ")
	}
	for _, header := range []string{"Preference-Applied", "RateLimit", "RateLimit-Policy", "Retry-After", "Request-Id",
		"WWW-Authenticate"} {
		require.Contains(t, refused.Headers, header)
		require.Contains(t, d.Components.Headers, header)
	}
	require.Contains(t, failed.Description, "503 ")
	require.Contains(t, failed.Headers, "Retry-After")
	require.Contains(t, failed.Content, "application/problem+json")
}

func TestDescription_Codes_AreThoseOfTheProblemPackage(t *testing.T) {
	t.Parallel()
	_, d := describe(t)
	listed := d.Components.Schemas["ErrorCode"].Enum
	require.Len(t, listed, len(problem.Codes()))
	for _, code := range problem.Codes() {
		require.Contains(t, listed, string(code))
	}
}

func TestDescription_OperationsOfTenants_ListTheHeadersOfTheOperatorAndNoOthersDo(t *testing.T) {
	t.Parallel()
	_, d := describe(t)
	for path, operations := range d.Paths {
		for method, o := range operations {
			listed := 0
			for _, p := range o.Parameters {
				if p.Ref == "#/components/parameters/"+headerTenant || p.Ref == "#/components/parameters/"+headerActor {
					listed++
				}
			}
			if strings.HasPrefix(path, "/v1/") {
				require.Equal(t, 2, listed, "%s %s", method, path)
			} else {
				require.Zero(t, listed, "%s %s", method, path)
			}
		}
	}
	require.Contains(t, d.Components.Parameters, headerTenant)
	require.Contains(t, d.Components.Parameters, headerActor)
}

func TestDescription_Tags_AreExplainedAndBeginWithBookings(t *testing.T) {
	t.Parallel()
	text, d := describe(t)
	require.Equal(t, "Bookings", d.Tags[0].Name)
	used := make(map[string]bool)
	for _, operations := range d.Paths {
		for _, o := range operations {
			require.Len(t, o.Tags, 1, o.OperationID)
			require.NotEmpty(t, o.Summary, o.OperationID)
			used[o.Tags[0]] = true
		}
	}
	for _, tag := range d.Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		require.True(t, used[tag.Name], "%s has no operation", tag.Name)
		delete(used, tag.Name)
	}
	require.Empty(t, used, "tags without a description")
	require.Less(t, strings.Index(text, `"/v1/bookings"`), strings.Index(text, `"/admin/v1/tenants"`),
		"bookings come first")
}

func TestDescription_Webhook_HasASchemaForEachTypeOfEvent(t *testing.T) {
	t.Parallel()
	_, d := describe(t)
	require.Contains(t, d.Webhooks, "event")
	var types []string
	for _, kind := range d.Components.Schemas["WebhookEvent"].OneOf {
		types = append(types,
			d.Components.Schemas[strings.TrimPrefix(kind.Ref, "#/components/schemas/")].Properties["type"].Enum...)
	}
	require.ElementsMatch(t, append(usecase.TypesOfChanges(), webhook.PingType), types)
}

func TestDescription_EveryBody_HasAnExample(t *testing.T) {
	t.Parallel()
	_, d := describe(t)
	shown := 0
	for _, operations := range d.Paths {
		for _, o := range operations {
			for media, content := range o.RequestBody.Content {
				require.NotEmpty(t, content.Examples, "%s %s: examples.go has no example", o.OperationID, media)
				shown += len(content.Examples)
			}
		}
	}
	require.Equal(t, len(document.Examples), shown)
}

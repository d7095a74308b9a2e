package httpapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/answers"
	"holdfast/internal/usecase"
)

// TestAnswers_EachLocation_IsAPathOfTheAPI compares the paths at which answers say that things are with the routes.
func TestAnswers_EachLocation_IsAPathOfTheAPI(t *testing.T) {
	t.Parallel()
	routes := make(map[string]bool)
	for path := range New(Config{}, usecase.All{}).huma.OpenAPI().Paths {
		routes[withoutNames(path)] = true
	}
	for kind, path := range answers.Paths {
		require.Contains(t, routes, withoutNames(path), kind)
	}
}

// withoutNames returns a path whose parameters have no names.
func withoutNames(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}

package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const (
	logoPath = "/v1/tenant/logo"
	// onePixel is a PNG of one pixel in base64.
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII="
)

// Which images are logos is tried in internal/settings.
func TestLogo_Answers_HaveTheTagOfTheSettings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	require.NotContains(t, c.get(t, "/v1/tenant").ok(t).body, "logo")
	set := c.put(t, logoPath, object{"data": onePixel}).ok(t)
	require.Equal(t, `"2"`, set.header.Get("ETag"))
	require.Equal(t, set.body, c.get(t, "/v1/tenant").ok(t).body)
	for _, stale := range []answer{
		c.put(t, logoPath, object{"data": onePixel}, "If-Match", `"1"`),
		c.send(t, http.MethodDelete, logoPath, nil, "If-Match", `"1"`),
	} {
		requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
	}
	for _, data := range []string{"not base64", "_-8=", onePixel[:len(onePixel)-1]} {
		d := requireProblem(t, c.put(t, logoPath, object{"data": data}), unprocessable, problem.ValidationFailed)
		require.Equal(t, "invalid_format", d.field("data"), data)
	}
	require.Equal(t, http.StatusNoContent, c.delete(t, logoPath).status)
	require.NotContains(t, c.get(t, "/v1/tenant").ok(t).body, "logo")
}

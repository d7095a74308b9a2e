package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"holdfast/internal/httpapi/document"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

var exampleResult = regexp.MustCompile(`<([a-z._-]+)>`)

// Each example of the document is sent as it is shown, but for ids and dates, and gets the status that the document
// shows for success.
func TestExamples_SentInTheirOrder_Succeed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	operations := make(map[string]operation)
	for _, op := range c.operations(t) {
		operations[op.id] = op
	}
	results := make(map[string]string)
	filled := func(text string) string {
		return exampleResult.ReplaceAllStringFunc(text, func(name string) string {
			value, known := results[strings.Trim(name, "<>")]
			require.True(t, known, "%s in %s", name, text)
			return value
		})
	}
	for _, e := range document.Examples {
		op, known := operations[e.Operation]
		require.True(t, known, e.Operation)
		if e.Before != "" {
			method, path, _ := strings.Cut(filled(e.Before), " ")
			require.Equal(t, http.StatusOK, c.send(t, method, path, nil).status, e.Before)
		}
		if e.Operation == "no-show-booking" { // only after the booking has begun
			c.begun(t, uuid.MustParse(filled(e.Path)))
		}
		if e.Operation == "complete-refund" { // only after the booking has ended
			results["open"] = c.openRefund(t, results["cash"])
		}
		path := op.path
		for _, id := range strings.Fields(filled(e.Path)) {
			path = strings.Replace(path, path[strings.IndexByte(path, '{'):strings.IndexByte(path, '}')+1], id, 1)
		}
		var body object
		require.NoError(t, json.Unmarshal([]byte(filled(pageInTheFuture(e.Body))), &body), e.Operation)
		if body["booking_window_days"] != nil {
			body["booking_window_days"] = 3650 // the dates may be more than two years away
		}
		client := c
		if strings.HasPrefix(path, "/admin/") {
			client = c.admin()
		}
		a := client.send(t, op.method, path, body)
		require.Contains(t, []int{http.StatusOK, http.StatusCreated, http.StatusAccepted}, a.status,
			"%s %s: %s", e.Operation, e.Name, a.body)
		require.Contains(t, op.statuses, a.status, e.Operation)
		if e.Result == "" {
			continue
		}
		var answer map[string]any
		a.read(t, &answer)
		name, field, nested := strings.Cut(e.Result, ".")
		if !nested {
			results[name] = answer["id"].(string)
			if code, ok := answer["code"].(string); ok {
				results[name+".code"] = code
			}
			continue
		}
		var value any = answer
		for part := range strings.SplitSeq(field, ".") {
			value = value.(map[string]any)[part]
		}
		results[e.Result] = value.(string)
	}
}

// What the feed shows is of the form that the document describes for webhooks.
func TestEvents_OfEachKind_AreAsTheDocumentDescribesThem(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	require.Equal(t, http.StatusCreated, f.post(t, "/v1/bookings/"+f.booking.String()+"/payments",
		object{"kind": "balance", "payment_method": "pm_ok"}).status)
	require.Equal(t, http.StatusOK, f.post(t, "/v1/customers/"+f.other.String()+"/erase", nil).status)
	schemas := jsonschema.NewCompiler()
	description, err := jsonschema.UnmarshalJSON(strings.NewReader(f.admin().get(t, "/openapi.json").body))
	require.NoError(t, err)
	require.NoError(t, schemas.AddResource("openapi.json", description))
	schema, err := schemas.Compile("openapi.json#/components/schemas/WebhookEvent")
	require.NoError(t, err)
	subjects := make(map[string]bool)
	for cursor := ""; ; {
		a := f.get(t, "/v1/events?limit=200&after="+cursor)
		page, err := jsonschema.UnmarshalJSON(strings.NewReader(a.body))
		require.NoError(t, err)
		for _, event := range page.(map[string]any)["data"].([]any) {
			require.NoError(t, schema.Validate(event), "%v", event)
			subject, _, _ := strings.Cut(event.(map[string]any)["type"].(string), ".")
			subjects[subject] = true
		}
		if cursor = a.text(t, "next_cursor"); page.(map[string]any)["has_more"] == false {
			break
		}
	}
	for _, subject := range []string{"block", "booking", "closure", "customer", "payment", "resource", "service",
		"wallet"} {
		require.True(t, subjects[subject], "no event of a %s", subject)
	}
}

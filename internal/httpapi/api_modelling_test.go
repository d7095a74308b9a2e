package httpapi_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// pageRequest is a request of a page, with what the page says of its answer.
type pageRequest struct {
	method, path, body string
	status             string
	says               string // the name of the id, or the code of a refusal
	fields             string
}

var (
	pageFence  = regexp.MustCompile("(?s)```http\n(.*?)```")
	pageStatus = regexp.MustCompile(`^(\d{3}) ?(\S*)$`)
	pageDate   = regexp.MustCompile(`2027(-?)(0[78])-?(\d\d)`)
	pageName   = regexp.MustCompile(`<([a-z0-9-]+)>`)
)

// pageRequests returns the requests of a page, in order.
func pageRequests(t *testing.T, page string) (all []pageRequest) {
	t.Helper()
	for _, fenced := range pageFence.FindAllStringSubmatch(page, -1) {
		for text := range strings.SplitSeq(strings.TrimSpace(fenced[1]), "\n\n") {
			first, rest, _ := strings.Cut(text, "\n")
			method, path, found := strings.Cut(first, " ")
			require.True(t, found, text)
			r := pageRequest{method: method, path: path}
			for line := range strings.Lines(rest) {
				answer := pageStatus.FindStringSubmatch(strings.TrimSpace(line))
				switch {
				case answer != nil:
					r.status, r.says = answer[1], answer[2]
				case r.status == "":
					r.body += line
				default:
					r.fields += line
				}
			}
			require.NotEmpty(t, r.status, text)
			all = append(all, r)
		}
	}
	return all
}

// pageInTheFuture returns a page whose dates have been moved by whole years of 52 weeks until they are to come:
// weekdays stay.
func pageInTheFuture(page string) string {
	years := 0
	for first := time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC); !first.AddDate(0, 0,
		364*years).After(testtime.Date(0).In(time.UTC)); {
		years++
	}
	return pageDate.ReplaceAllStringFunc(page, func(text string) string {
		layout := time.DateOnly
		if !strings.Contains(text, "-") {
			layout = "20060102"
		}
		at, err := time.Parse(layout, text)
		if err != nil {
			return text
		}
		return at.AddDate(0, 0, 364*years).Format(layout)
	})
}

// Each request of the page gets the answer that the page says.
func TestModellingPage_EachRequest_IsAnsweredAsThePageSays(t *testing.T) {
	t.Parallel()
	c := setup(t)
	page, err := os.ReadFile("../../docs/modelling.md")
	require.NoError(t, err)
	ids := make(map[string]string)
	named := func(text string) string {
		return pageName.ReplaceAllStringFunc(text, func(name string) string {
			id, known := ids[strings.Trim(name, "<>")]
			require.True(t, known, "%s in %s", name, text)
			return id
		})
	}
	requests := pageRequests(t, pageInTheFuture(string(page)))
	require.Greater(t, len(requests), 40)
	for _, r := range requests {
		var body any
		if r.body != "" {
			var given object
			require.NoError(t, json.Unmarshal([]byte(named(r.body)), &given), r.body)
			if r.path == "/v1/services" {
				given["booking_window_days"] = 3650 // the dates may be more than a year away
			}
			body = given
		}
		a := c.send(t, r.method, named(r.path), body)
		require.Equal(t, r.status, strconv.Itoa(a.status), "%s %s %s: %s", r.method, r.path, r.body, a.body)
		switch {
		case r.says == "":
		case r.status[0] == '2':
			ids[r.says] = a.text(t, "id")
		default:
			require.Equal(t, r.says, a.text(t, "code"))
		}
		if r.fields != "" {
			var want, got object
			require.NoError(t, json.Unmarshal([]byte(named(r.fields)), &want), r.fields)
			a.read(t, &got)
			for field, value := range want {
				require.Equal(t, value, got[field], "%s of %s %s", field, r.method, r.path)
			}
		}
	}
}

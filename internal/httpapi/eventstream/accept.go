package eventstream

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// MediaType is the media type of server-sent events.
const MediaType = "text/event-stream"

// Accepts reports whether a request prefers server-sent events to JSON. Of the ranges that contain JSON, the
// most specific one counts (RFC 9110, 12.5.1). A range such as */* doesn't ask for a stream.
func Accepts(h http.Header) bool {
	quality := make(map[string]float64)
	for _, line := range h.Values("Accept") {
		for form := range strings.SplitSeq(line, ",") {
			media, parameters, err := mime.ParseMediaType(form)
			if err != nil {
				continue
			}
			quality[media] = 1
			if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
				quality[media] = q
			}
		}
	}
	for _, media := range []string{"application/json", "application/*", "*/*"} {
		if q, given := quality[media]; given {
			return quality[MediaType] > q
		}
	}
	return quality[MediaType] > 0
}

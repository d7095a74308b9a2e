package webhook

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxBodyBytes        = 16 << 10
	maxHeaderValueBytes = 256
	maxRetryAfter       = 24 * time.Hour
)

// Response is what is kept of an endpoint's response. Its texts are valid UTF-8 without NUL, so PostgreSQL can store
// them: other bytes are replaced by U+FFFD.
type Response struct {
	Status int
	// ContentType and RetryAfter are the headers of these names, at most 256 bytes of each.
	ContentType string
	RetryAfter  string
	// Body has at most 16 KiB. The rest is not read.
	Body string
	// Truncated tells that the body was longer.
	Truncated bool
	// Took is the time from the call of Post to its end.
	Took time.Duration
}

// Succeeded reports whether the endpoint accepted the webhook: its status is from 200 to 299.
func (r Response) Succeeded() bool { return r.Status >= 200 && r.Status <= 299 }

func readResponse(from *http.Response) (Response, error) {
	body, err := io.ReadAll(io.LimitReader(from.Body, maxBodyBytes+1))
	if err != nil {
		return Response{}, err
	}
	response := Response{Status: from.StatusCode}
	response.ContentType, _ = storable(from.Header.Get("Content-Type"), maxHeaderValueBytes)
	response.RetryAfter, _ = storable(from.Header.Get("Retry-After"), maxHeaderValueBytes)
	response.Body, response.Truncated = storable(string(body), maxBodyBytes)
	return response, nil
}

// storable returns at most limit bytes of the text as valid UTF-8 without NUL, and whether anything was cut off. A
// character that doesn't fit is left out.
func storable(text string, limit int) (string, bool) {
	cut := len(text) > limit
	if cut {
		text = text[:runeStart(text, limit)]
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	// A replacement is longer than what it replaces.
	if len(text) > limit {
		return text[:runeStart(text, limit)], true
	}
	return text, cut
}

// runeStart returns where the character begins that the byte at i is part of, and i if it is part of none.
func runeStart(text string, i int) int {
	for start := i; start > 0 && start > i-utf8.UTFMax; start-- {
		if utf8.RuneStart(text[start]) {
			return start
		}
	}
	return i
}

// RetryAfter returns how long the response asks to wait before the next attempt, from 0 to 24 hours. Now is the time at
// which the response came; it is needed if Retry-After is a date. It returns 0 without a valid Retry-After.
func RetryAfter(response Response, now time.Time) time.Duration {
	if isDigits(response.RetryAfter) {
		seconds, err := strconv.ParseInt(response.RetryAfter, 10, 64)
		if errors.Is(err, strconv.ErrRange) || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(response.RetryAfter)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

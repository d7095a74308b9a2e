package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func TestBody_PlainJSON_ReachesTheRouteUnchanged(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	const body = " {\"name\" :\"ab\",\n\t\"metadata\":{\"a\":[1.50,\"\\u00e9\\ud83d\\ude00\\\\u0000\"]}} \r\n"
	a := s.request(t, http.MethodPost, someThing, body)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Contains(t, a.body,
		`{\"name\" :\"ab\",\n\t\"metadata\":{\"a\":[1.50,\"\\u00e9\\ud83d\\ude00\\\\u0000\"]}} \r\n`)
}

func TestBody_EmptyPost_NeedsNoContentType(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	require.Equal(t, http.StatusOK, s.request(t, http.MethodPost, someThing+"/confirm", "").status)
	require.Equal(t, http.StatusOK,
		s.request(t, http.MethodPost, someThing+"/confirm", "", "Content-Type", "text/plain").status)
	requireProblem(t, s.request(t, http.MethodPost, someThing+"/confirm", "{"), http.StatusBadRequest,
		problem.MalformedRequest)
}

func TestBody_NotOneJSONObject_IsMalformed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	nested := func(depth int) string {
		return `{"name":"ab","metadata":` + strings.Repeat(`{"a":`, depth-1) + `1` + strings.Repeat(`}`, depth-1) + `}`
	}
	for name, tt := range map[string]struct {
		body, detail string
		at           int
	}{
		"only space":         {"  \n", "ends before its JSON does", 3},
		"cut off":            {`{"name":"secret`, "ends before its JSON does", 15},
		"an array":           {`[{"name":"ab"}]`, "is not a JSON object", 0},
		"a string":           {`"secret"`, "is not a JSON object", 0},
		"null":               {`null`, "is not a JSON object", 0},
		"two objects":        {`{"name":"ab"}{"name":"cd"}`, "goes on after the end", 14},
		"something after it": {`{"name":"ab"} secret`, "goes on after the end", 13},
		"a stray brace":      {`{"name":"ab"}}`, "goes on after the end", 13},
		"a duplicate name":   {`{"name":"ab","name":"secret"}`, "the same name twice", 13},
		"a duplicate deep down": {`{"name":"ab","metadata":{"x":{"secret":1,"s\u0065cret":2}}}`, "the same name twice",
			41},
		"invalid UTF-8":       {"{\"name\":\"a\xffb\"}", "is not valid UTF-8", 10},
		"invalid UTF-8 name":  {"{\"a\xc0\xaf\":1}", "is not valid UTF-8", 3},
		"a byte order mark":   {"\ufeff{}", "is not valid JSON", 0},
		"a raw NUL":           {"{\"name\":\"a\x00b\"}", "is not valid JSON", 10},
		"an escaped NUL":      {`{"name":"secret\u0000"}`, "has U+0000", 22},
		"an escaped NUL name": {`{"metadata":{"\u0000":1}}`, "has U+0000", 21},
		"a lone surrogate":    {`{"name":"\ud800"}`, "is not valid JSON", 9},
		"a reversed pair":     {`{"name":"\ude00\ud83d"}`, "is not valid JSON", 9},
		"a trailing comma":    {`{"name":"ab",}`, "is not valid JSON", 12},
		"a comment":           {`{"name":"ab"/*secret*/}`, "is not valid JSON", 12},
		"single quotes":       {`{'name':'secret'}`, "is not valid JSON", 1},
		"a raw newline":       {"{\"name\":\"a\nb\"}", "is not valid JSON", 10},
		"NaN":                 {`{"size":NaN}`, "is not valid JSON", 8},
		"a huge number":       {`{"size":1e999}`, "a number that is out of range", 13},
		"a leading zero":      {`{"size":01}`, "is not valid JSON", 9},
		"33 levels":           {nested(33), "is nested deeper than 32 levels", 24 + 31*5 + 1},
		"10,000 levels":       {strings.Repeat(`{"a":`, 10_000), "is nested deeper than 32 levels", 32*5 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.request(t, http.MethodPost, someThing, tt.body)
			d := requireProblem(t, a, http.StatusBadRequest, problem.MalformedRequest)
			require.Contains(t, d.Detail, tt.detail)
			require.Contains(t, d.Detail, fmt.Sprintf("(at byte %d)", tt.at))
			require.NotContains(t, a.body, "secret")
		})
	}
	require.Equal(t, http.StatusOK, s.request(t, http.MethodPost, someThing, nested(32)).status)
}

func TestBody_OtherMediaType_Is415(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, tt := range []struct {
		media, encoding string
		status          int
	}{
		{"application/json", "", 200},
		{"application/json", "identity", 200},
		{"application/json;charset=UTF-8", "", 200},
		{"Application/JSON ; charset=\"utf-8\"", "Identity", 200},
		{"application/json; charset=latin1", "", 415},
		{"application/problem+json", "", 415},
		{"application/jsonp", "", 415},
		{"text/plain", "", 415},
		{"application/x-www-form-urlencoded", "", 415},
		{"json", "", 415},
		{";", "", 415},
		{"", "", 415},
		{"application/json", "gzip", 415},
		{"application/json", "identity, gzip", 415},
	} {
		a := s.request(t, http.MethodPost, someThing, `{"name":"ab"}`, "Content-Type", tt.media, "Content-Encoding",
			tt.encoding)
		require.Equal(t, tt.status, a.status, tt)
		if tt.status != http.StatusOK {
			requireProblem(t, a, tt.status, problem.UnsupportedMediaType)
		}
	}
}

// largestBody is the most bytes that a body may have.
const largestBody = 64 << 10

func TestBody_Over64KiB_IsTooLarge(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	body := func(size int) string {
		const frame = `{"name":"ab","metadata":{"a":""}}`
		return `{"name":"ab","metadata":{"a":"` + strings.Repeat("x", size-len(frame)) + `"}}`
	}
	require.Equal(t, http.StatusOK, s.request(t, http.MethodPost, someThing, body(largestBody)).status)
	for _, size := range []int{largestBody + 1, 300 << 10, 10 << 20} {
		for _, chunked := range []bool{false, true} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+someThing,
				strings.NewReader(body(size)))
			require.NoError(t, err)
			req.Header.Set("Content-Type", "application/json")
			if chunked {
				req.ContentLength = -1
			}
			requireProblem(t, do(t, req), http.StatusRequestEntityTooLarge, problem.BodyTooLarge)
		}
	}
}

func TestResponse_BodyUnread_StillArrives(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	body := `{"a":"` + strings.Repeat("x", 5<<20) + `"}`
	for range 5 { // a reset that overtakes the answer does so only sometimes
		requireProblem(t, s.request(t, http.MethodPost, "/v1/nothing", body), http.StatusNotFound, problem.NotFound)
		requireProblem(t, s.request(t, http.MethodPut, "/v1/things", body), http.StatusMethodNotAllowed,
			problem.MethodNotAllowed)
	}
}

func TestBody_ContentLengthTooLarge_IsRefusedUnread(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	conn := dial(t, s.addr)
	send(t, conn, "POST "+someThing+
		" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{")
	requireProblem(t, receive(t, conn), http.StatusRequestEntityTooLarge, problem.BodyTooLarge)
}

func TestExpectContinue_BodyTooLarge_SendsNo100(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	conn := dial(t, s.addr)
	send(t, conn, "POST "+someThing+" HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10000000\r\n\r\n")
	requireProblem(t, receive(t, conn), http.StatusRequestEntityTooLarge, problem.BodyTooLarge)
}

func TestBody_StopsArriving_Is408(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) { s.http.ReadTimeout = time.Second })
	conn := dial(t, s.addr)
	send(t, conn, "POST "+someThing+
		" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	requireProblem(t, receive(t, conn), http.StatusRequestTimeout, problem.RequestTimeout)
}

func TestBody_BrokenFraming_IsMalformed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, broken := range []string{
		"Content-Length: 100\r\n\r\n{",
		"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n",
	} {
		conn := dial(t, s.addr)
		send(t, conn, "POST "+someThing+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+broken)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		requireProblem(t, receive(t, conn), http.StatusBadRequest, problem.MalformedRequest)
	}
}

func TestQuery_NotUTF8_IsMalformed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, query := range []string{"?from=%00", "?from=%ff", "?from=%zz", "?from=1;limit=2", "?%00=1", "?from=%c0%af"} {
		a := s.request(t, http.MethodGet, "/v1/things"+query, "")
		requireProblem(t, a, http.StatusBadRequest, problem.MalformedRequest)
	}
}

// net/http cancels a request's context when a read deadline passes while a handler works, and huma sets one.
func TestHandler_SlowerThanReadTimeout_Completes(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(s *testServer) { s.http.ReadTimeout = time.Second })
	a := s.request(t, http.MethodPost, "/v1/slow", `{"name":"ab"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// Raw connections, for what net/http's client doesn't send.

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(testtime.Now().Add(patient)))
	return conn
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
}

func receive(t *testing.T, conn net.Conn) answer {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	return answerOf(t, res)
}

package hostile_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// longestAnswer is how long an answer may take on a busy machine.
const longestAnswer = 2 * time.Minute

// request is sent byte for byte as it is written here; Host and Content-Length are added.
type request struct {
	method, target string
	headers        [][2]string
	body           string
	cut            int // how many bytes of the body are not sent
}

// set replaces a header, or adds it.
func (r *request) set(name, value string) {
	r.drop(name)
	r.add(name, value)
}

func (r *request) add(name, value string) { r.headers = append(r.headers, [2]string{name, value}) }

func (r *request) drop(name string) {
	var kept [][2]string
	for _, h := range r.headers {
		if !strings.EqualFold(h[0], name) {
			kept = append(kept, h)
		}
	}
	r.headers = kept
}

func (r request) header(name string) string {
	for _, h := range r.headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

func (r request) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: holdfast\r\n", r.method, r.target)
	for _, h := range r.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(r.body), r.body[:len(r.body)-r.cut])
	return b.Bytes()
}

// curl writes the request as a line for a shell.
func (r request) curl() string {
	const shown = 2000
	var b strings.Builder
	fmt.Fprintf(&b, "curl --path-as-is -g -X %s", quoted(r.method))
	for _, h := range r.headers {
		b.WriteString(" -H " + quoted(h[0]+": "+h[1]))
	}
	if body := r.body[:len(r.body)-r.cut]; len(body) > shown {
		fmt.Fprintf(&b, " --data-binary %s # and %d bytes more", quoted(body[:shown]), len(body)-shown)
	} else if body != "" {
		b.WriteString(" --data-binary " + quoted(body))
	}
	return b.String() + " " + quoted("http://127.0.0.1:8080"+r.target)
}

// quoted quotes for a shell, with bash's $'…' where a byte can't be printed.
func quoted(s string) string {
	if q := strconv.QuoteToASCII(s); strings.Contains(q, `\x`) || strings.Contains(q, `\u`) ||
		strings.ContainsAny(s, "\r\n\t") {
		return "$'" + strings.ReplaceAll(q[1:len(q)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
	object object // the body, nil if it isn't a JSON object
}

// text returns a text of the body, empty without one.
func (a answer) text(name string) string {
	text, _ := a.object[name].(string)
	return text
}

// line is a connection that is kept and made anew when the server closes it.
type line struct {
	address string
	conn    net.Conn
	in      *bufio.Reader
}

// send sends a request and reads the answer.
func (l *line) send(t require.TestingT, r request) answer {
	if l.conn == nil {
		conn, err := net.Dial("tcp", l.address)
		require.NoError(t, err)
		l.conn, l.in = conn, bufio.NewReader(conn)
	}
	require.NoError(t, l.conn.SetDeadline(testtime.Now().Add(longestAnswer)))
	_, err := l.conn.Write(r.bytes())
	last := r.cut > 0 || r.header("Transfer-Encoding") != "" // or the server would wait for the rest of the body
	if err == nil && last {
		err = l.conn.(*net.TCPConn).CloseWrite()
	}
	// The server may answer and close before it has read everything.
	sent := err
	res, err := http.ReadResponse(l.in, &http.Request{Method: r.method})
	for err == nil && res.StatusCode == http.StatusContinue {
		res, err = http.ReadResponse(l.in, &http.Request{Method: r.method})
	}
	require.NoError(t, err, "no answer to %s (sent: %v)", r.curl(), sent)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	if res.Header.Get("Content-Encoding") == "gzip" {
		require.True(t, slices.ContainsFunc(r.headers, func(h [2]string) bool {
			return strings.EqualFold(h[0], "Accept-Encoding") && strings.Contains(strings.ToLower(h[1]), "gzip")
		}), "gzip was not asked for")
		unpacked, err := gzip.NewReader(bytes.NewReader(body))
		require.NoError(t, err)
		body, err = io.ReadAll(unpacked)
		require.NoError(t, err)
		res.Header.Del("Content-Encoding")
	}
	if res.Close || last {
		l.close()
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(body)}
	if json.Unmarshal(body, &a.object) != nil {
		a.object = nil
	}
	return a
}

func (l *line) close() {
	if l.conn != nil {
		_ = l.conn.Close()
		l.conn = nil
	}
}

package edge

import (
	"bytes"
	"net/http"
	"sync"
)

// A request with Content-Length and Transfer-Encoding may be one request for a proxy and two for the server: request
// smuggling (RFC 9112, sections 6.1 and 11.2). net/http lets Transfer-Encoding count, drops the other header before a
// handler could see it, and keeps the connection. So a connection keeps the head of a request until the handler begins,
// and finds both headers there.
//
// Where the next head begins follows from the length of the body. A chunked body has none: a request with one is the
// last on its connection.

// maxKeptForHeads bounds the memory that an idle connection keeps for its next heads.
const maxKeptForHeads = 4 << 10

// framing finds the heads of the requests in what is read from a connection. net/http bounds how much it reads before a
// handler begins.
type framing struct {
	mu   sync.Mutex // net/http reads in the background while a handler runs
	read []byte     // from the next head on
	body int64      // of the body before it, what is still to be read
	last bool       // no other head follows
}

// add takes what was read.
func (f *framing) add(p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last {
		return
	}
	skipped := min(f.body, int64(len(p)))
	f.body -= skipped
	f.read = append(f.read, p[skipped:]...)
}

// begin takes the beginning of a request's handler. It reports whether the request's framing is ambiguous, whether the
// request is the last one that can be told from what follows it, and whether its whole body has arrived.
func (f *framing) begin(r *http.Request) (ambiguous, last, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	head, rest, ok := cutHead(f.read)
	lengths, codings := hasHeader(head, "Content-Length"), hasHeader(head, "Transfer-Encoding")
	switch {
	case !ok || codings && (lengths || !r.ProtoAtLeast(1, 1)):
		ambiguous, last = true, true
	case codings:
		last = true
	}
	if last {
		f.read, f.last = nil, true
		return ambiguous, last, false
	}
	skipped := min(r.ContentLength, int64(len(rest)))
	f.body = r.ContentLength - skipped
	if f.read = append(f.read[:0], rest[skipped:]...); cap(f.read) > maxKeptForHeads {
		f.read = bytes.Clone(f.read)
	}
	return false, false, f.body == 0
}

// cutHead cuts the first head off, as net/http does: line breaks before it are skipped, and a line may end without CR.
func cutHead(read []byte) (head, rest []byte, ok bool) {
	rest = bytes.TrimLeft(read, "\r\n")
	for at := 0; ; {
		end := bytes.IndexByte(rest[at:], '\n')
		if end < 0 {
			return nil, nil, false
		}
		line := bytes.TrimRight(rest[at:at+end], "\r")
		at += end + 1
		if len(line) == 0 {
			return rest[:at], rest[at:], true
		}
	}
}

// hasHeader reports whether a head has a header.
func hasHeader(head []byte, name string) bool {
	for line := range bytes.Lines(head) {
		field, _, found := bytes.Cut(line, []byte(":"))
		if found && bytes.EqualFold(bytes.TrimSpace(field), []byte(name)) {
			return true
		}
	}
	return false
}

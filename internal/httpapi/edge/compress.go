package edge

import (
	"bufio"
	"mime"
	"net"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// compressFrom is the size in bytes from which a response is compressed. Smaller responses fit in two packets;
// compressing them saves nothing.
const compressFrom = 2 << 10

// compress compresses responses with gzip where the client accepts it. Responses that are small, compressed already, or
// have a strong ETag go out as they are: it names the bytes of one representation (RFC 9110, section 8.8.3), and
// clients send it back in If-Match.
func compress(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(compressFrom), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false),
		gzhttp.ContentTypeFilter(
			compressible))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&skipTagged{w}, r)
	}))
}

// compressible reports whether responses of a media type are text that is sent as a whole.
func compressible(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return strings.HasPrefix(media, "text/") && media != "text/event-stream" || strings.HasSuffix(media, "json") ||
		strings.HasSuffix(media, "yaml") || media == "application/javascript"
}

// skipTagged keeps responses that have a strong ETag from being compressed.
type skipTagged struct{ http.ResponseWriter }

// WriteHeader sends the status and the headers.
func (w *skipTagged) WriteHeader(status int) {
	if tag := w.Header().Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		w.Header().Set(gzhttp.HeaderNoCompression, "1")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Flush sends what was written so far.
func (w *skipTagged) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Hijack hands the connection to the caller.
func (w *skipTagged) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap gives http.ResponseController what is behind this.
func (w *skipTagged) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package edge

import (
	"log/slog"
	"net/http"
	"time"
)

const writeTimeout = 2 * time.Minute

// NewHTTPServer returns an HTTP server with every limit set. Serve it on a Listener.
func NewHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           trackHandling(compress(headAsGet(handler))),
		ConnContext:       connContext,
		ConnState:         connState,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		// Longer than a request takes that waits for all that it may wait for: see the limits of transactions.
		WriteTimeout:   writeTimeout,
		IdleTimeout:    120 * time.Second,
		MaxHeaderBytes: 32 << 10,
		// What goes wrong on a connection is the client's doing, and not worth more.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * is answered like any other path that doesn't exist.
		DisableGeneralOptionsHandler: true,
	}
}

// headAsGet answers HEAD as GET; net/http leaves out the body. RFC 9110, section 9.1 asks for both. Without Accept, so
// that nothing is streamed.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := *r
			get.Method, get.Header = http.MethodGet, r.Header.Clone()
			get.Header.Del("Accept")
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}

package httpapi_test

import (
	"context"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
)

// stackTracer keeps the stacks of all goroutines at each batch that is sent.
type stackTracer struct {
	mu     sync.Mutex
	stacks []string
}

func (s *stackTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (s *stackTracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *stackTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	buffer := make([]byte, 1<<20)
	s.stacks = append(s.stacks, string(buffer[:runtime.Stack(buffer, true)]))
	return ctx
}
func (s *stackTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (s *stackTracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// frame is a function of ours on a stack. A closure is part of the function that it stands in.
type frame struct{ pkg, function string }

var (
	framePattern = regexp.MustCompile(`(?m)^holdfast/((?:\w+/)*\w+)\.(\S+)\(`)
	closures     = regexp.MustCompile(`(\.func\d+)?(\.\d+)*$`)
	punctuation  = strings.NewReplacer("(*", "", ")", "", "[...]", "")
)

// framesOf returns our functions on the stacks of the request: of the goroutine of its connection, and of its worker.
func framesOf(stacks string) []frame {
	var frames []frame
	for _, of := range []struct{ begin, end string }{{"edge.(*Edge).observe(", ".workerPool.do("},
		{".workerPool.run(", "core.(*batch).send("}} {
		for _, stack := range strings.Split(stacks, "\n\n") {
			stack, _, _ = strings.Cut(stack, "\ncreated by")
			if !strings.Contains(stack, of.begin) || !strings.Contains(stack, of.end) {
				continue
			}
			var own []frame
			for _, m := range framePattern.FindAllStringSubmatch(stack, -1) {
				if !strings.HasSuffix(m[1], "_test") {
					own = append(own, frame{m[1], closures.ReplaceAllString(punctuation.Replace(m[2]), "")})
				}
			}
			slices.Reverse(own) // a stack begins with the function that was called last
			frames = append(frames, own...)
		}
	}
	return slices.Compact(frames)
}

// A newcomer follows a booking from the router to the commit: straight down, through few functions, and by the list in
// docs/architecture.md.
//
//nolint:paralleltest // the stacks are of all goroutines, so no other test may send requests
func TestCreateBooking_FromRouterToCommit_GoesDownOnceThroughTheListedFunctions(t *testing.T) {
	tracer := new(stackTracer)
	s := newServer(t, func(cfg *db.Config) { cfg.Tracer = tracer })
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	c.book(t, service, future(0)) // the service's rules are in memory now
	tracer.stacks = nil
	c.book(t, service, future(1))

	require.Len(t, tracer.stacks, 2, "two batches")
	page, err := os.ReadFile("../../docs/architecture.md")
	require.NoError(t, err)
	_, way, found := strings.Cut(string(page), "## The way of a request")
	require.True(t, found)
	passed := map[frame]bool{}
	for _, stacks := range tracer.stacks {
		frames := framesOf(stacks)
		var packages []string
		rest, before := way, map[frame]bool{}
		for _, f := range frames {
			packages = append(packages, f.pkg)
			if before[f] {
				continue
			}
			before[f], passed[f] = true, true
			_, rest, found = strings.Cut(rest, f.function[strings.LastIndex(f.function, ".")+1:]+"`")
			require.True(t, found, "docs/architecture.md doesn't list %v in its position among %v", f, frames)
		}
		require.Equal(t, []string{"internal/httpapi/edge", "internal/httpapi", "internal/booking", "internal/db",
			"internal/db/internal/core"},
			slices.Compact(packages), "%v", frames)
	}
	require.LessOrEqual(t, len(passed), 35)
	t.Logf("%d functions", len(passed))
}

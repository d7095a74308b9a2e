package timetable

import (
	"runtime"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

//nolint:paralleltest // it measures the heap, which parallel tests would change
func TestRules_Size_ApproximatesMemory(t *testing.T) {
	rulesOf := func(resources, overrides, closures int) *Rules {
		r := &Rules{Loc: time.UTC}
		first := civil.Date{Year: 2027, Month: 1, Day: 1}
		for range resources {
			var h Hours
			for i := range overrides {
				h.Overrides = append(h.Overrides, DateHours{Date: first.AddDays(i), Opens: 600, Closes: 840})
			}
			r.Resources = append(r.Resources, Resource{ID: uuid.New(), Times: h.Times()})
		}
		for i := range closures {
			r.Closures = append(r.Closures, Closure{From: first.AddDays(i), To: first.AddDays(i)})
		}
		return r
	}
	for _, c := range []struct{ resources, overrides, closures int }{{100, 0, 0}, {100, 1000, 0}, {1, 10, 10_000}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := rulesOf(c.resources, c.overrides, c.closures)
		runtime.GC()
		runtime.ReadMemStats(&after)
		taken := int(after.HeapAlloc - before.HeapAlloc)
		require.Greater(t, r.Size(), taken/2, c)
	}
}

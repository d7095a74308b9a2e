package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/tenant"
)

// staleReads are the reads of a request with Prefer: stale, which is a preference of Holdfast's own.
type staleReads struct {
	*tenant.StaleRead

	within time.Duration
	header http.Header // of the response
}

// allowStale lets the reads of a request come from the standby, if its route may be stale and the client prefers that.
// It returns nil otherwise.
func allowStale(c *gin.Context, r route) *staleReads {
	within, ok := admission.PreferredTime(c.Request.Header, "stale")
	if !ok || !r.mayBeStale {
		return nil
	}
	ctx, reads := tenant.AllowStale(c.Request.Context(), within)
	c.Request = c.Request.WithContext(ctx)
	return &staleReads{reads, within, c.Writer.Header()}
}

// tell names the preference in the response if the standby served a read. Call it between the reads and the response.
func (s *staleReads) tell() {
	if s != nil && s.Served() {
		s.header.Add("Preference-Applied", "stale="+strconv.Itoa(int(s.within.Seconds())))
	}
}

package catalog

import "time"

// ArchivedBody is what resources and services have in common.
type ArchivedBody struct {
	ArchivedAt *time.Time `json:"archived_at,omitempty" doc:"Since when it takes no new bookings; absent if it does."`
	Version    int64      `json:"version" example:"1" doc:"Grows with every change; the ETag is its text."`
}

func archivedBody(at *time.Time, version int64) ArchivedBody {
	if at != nil {
		utc := at.UTC()
		at = &utc
	}
	return ArchivedBody{ArchivedAt: at, Version: version}
}

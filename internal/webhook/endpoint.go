package webhook

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

const (
	maxEndpoints = 20 // of a tenant
	// formerSecretFor is how long a secret signs after it was replaced.
	formerSecretFor = 24 * time.Hour
)

// Status is whether deliveries are made to an endpoint.
type Status string

// The statuses.
const (
	Enabled  Status = "enabled"
	Disabled Status = "disabled"
	// Gone: the endpoint answered 410.
	Gone Status = "gone"
)

// Endpoint is where a tenant wants to be told of events. Times are UTC, by the database's clock.
type Endpoint struct {
	ID  uuid.UUID
	URL string
	// Types are the types of the events: exact, such as booking.created, or with .* at the end, or *.
	Types       []string
	Description string
	Status      Status
	// DisabledReason is why the endpoint is not enabled; empty if it is.
	DisabledReason string
	// FailingSince is when the first attempt failed after the last one that succeeded; nil if the last one succeeded.
	FailingSince *time.Time
	// Version rises with each change that the API shows.
	Version              int64
	CreatedAt, UpdatedAt time.Time

	secret      Secret
	former      Secret // the zero value if there is none
	formerUntil *time.Time
	failures    int        // since the last success
	openUntil   *time.Time // of the circuit: nothing is sent before; nil while it is closed
}

func fromRow(row endpointRow) (Endpoint, error) {
	e := Endpoint{
		ID:           row.EndpointID,
		URL:          row.Url,
		Types:        row.Types,
		Description:  row.Description,
		Status:       Status(row.Status),
		FailingSince: utc(row.FailingSince),
		Version:      row.Version,
		CreatedAt:    row.CreatedAt.UTC(),
		UpdatedAt:    row.UpdatedAt.UTC(),
		formerUntil:  row.FormerSecretUntil,
		failures:     int(row.Failures),
		openUntil:    row.OpenUntil,
	}
	if row.DisabledReason != nil {
		e.DisabledReason = *row.DisabledReason
	}
	var err error
	if e.secret, err = ParseSecret(row.Secret); err != nil {
		return Endpoint{}, fmt.Errorf("read a stored secret: %w", err)
	}
	if row.FormerSecret != nil {
		if e.former, err = ParseSecret(*row.FormerSecret); err != nil {
			return Endpoint{}, fmt.Errorf("read a stored secret: %w", err)
		}
	}
	return e, nil
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC()
	return &at
}

func (e Endpoint) row() endpointRow {
	row := endpointRow{
		EndpointID:        e.ID,
		Url:               e.URL,
		Types:             e.Types,
		Description:       e.Description,
		Status:            string(e.Status),
		Secret:            e.secret.Reveal(),
		FormerSecretUntil: e.formerUntil,
		Failures:          int32(min(e.failures, 1<<30)),
		FailingSince:      e.FailingSince,
		OpenUntil:         e.openUntil,
		Version:           e.Version,
		UpdatedAt:         e.UpdatedAt,
	}
	if e.DisabledReason != "" {
		row.DisabledReason = &e.DisabledReason
	}
	if e.formerUntil != nil {
		former := e.former.Reveal()
		row.FormerSecret = &former
	}
	return row
}

// ETag returns the strong entity tag of the endpoint's version.
func (e Endpoint) ETag() string { return etag.Of(e.Version) }

// changed raises the version.
func (e Endpoint) changed(now time.Time) Endpoint {
	e.Version, e.UpdatedAt = e.Version+1, now.UTC()
	return e
}

// disabled returns the endpoint with a status other than enabled.
func (e Endpoint) disabled(status Status, reason string, now time.Time) Endpoint {
	e.Status, e.DisabledReason, e.openUntil = status, reason, nil
	return e.changed(now)
}

// enabled returns the endpoint as one that has not failed yet.
func (e Endpoint) enabled() Endpoint {
	e.Status, e.DisabledReason, e.failures, e.FailingSince, e.openUntil = Enabled, "", 0, nil, nil
	return e
}

// rotated returns the endpoint with another secret. The one that it replaces signs too until it expires; one that was
// replaced before doesn't any more.
func (e Endpoint) rotated(secret Secret, now time.Time) Endpoint {
	until := now.Add(formerSecretFor)
	e.secret, e.former, e.formerUntil = secret, e.secret, &until
	return e.changed(now)
}

// secrets returns the secrets that sign at a time, the newest first.
func (e Endpoint) secrets(now time.Time) []Secret {
	if e.formerUntil != nil && e.formerUntil.After(now) {
		return []Secret{e.secret, e.former}
	}
	return []Secret{e.secret}
}

// TypePattern is the form of a type of events that an endpoint wants: exact, a group, or all.
const TypePattern = `^(?:\*|[a-z][a-z_]{0,39}\.(?:\*|[a-z][a-z_]{0,39}))$`

var typePattern = regexp.MustCompile(TypePattern)

// check returns problem.ValidationFailed for settings that are not valid.
func (e Endpoint) check(feed *change.Service) error {
	for i, t := range e.Types {
		field := fmt.Sprintf("types[%d]", i)
		if !typePattern.MatchString(t) {
			return problem.Invalid(field, "pattern",
				"Expected a type such as booking.created, a group of types such as booking.*, or *.")
		}
		if _, err := feed.ParseTypes(field, t); t != "*" && err != nil {
			return err // nothing would ever be delivered for it
		}
		if slices.Contains(e.Types[:i], t) {
			return problem.Invalid(field, "duplicate", "The list has this type twice.")
		}
	}
	if problem.HasControl(e.Description) {
		return problem.Invalid("description", "control_character",
			"Expected no control characters, such as line breaks or changes of the writing direction.")
	}
	return nil
}

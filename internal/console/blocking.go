package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// newBlockPage asks for a block of time that was marked on the calendar.
type newBlockPage struct {
	Path      string
	Resources []catalog.Resource
	Resource  string
	From, To  string // of the fields: dates, or dates with a time of day
	Whole     bool   // whole dates
}

// fieldFormat is how a field has a date with a time of day.
const fieldFormat = "2006-01-02T15:04"

// showNewBlock asks for a block. from and to are what was marked; to is exclusive.
func (c *Console) showNewBlock(v *visit) error {
	resources, err := c.Catalog.Resources(v.ctx(), v.tenant(), catalog.ListQuery{Limit: maxCatalog})
	if err != nil {
		return err
	}
	page := newBlockPage{
		Path: v.path("calendar", "block"), Resources: resources, Resource: v.query.Get("resource"), From: v.query.Get("from"),
		To: v.query.Get("to"), Whole: v.query.Get("whole") != "",
	}
	return c.render(v, http.StatusOK, "new_block", "Block time", page)
}

// block takes time of a resource without a booking.
func (c *Console) block(v *visit) error {
	change, err := blockOf(v.form, v.tenant().Location)
	if err != nil {
		return err
	}
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Response, error) {
		return c.Catalog.CreateBlock(v.ctx(), v.tenant(), r, change)
	})
	if err != nil {
		return err
	}
	var made catalog.BlockBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	return v.doneWithUndo("blocked", v.path("calendar"), v.path("calendar", "blocks", made.ID.String()))
}

// blockOf returns the block that fields ask for: whole dates, both included, or a time from one moment of the tenant's clocks to another
// one. Errors: problem.ValidationFailed.
func blockOf(fields url.Values, loc *time.Location) (change catalog.BlockChange, err error) {
	if change.ResourceID, err = uuid.Parse(fields.Get("resource")); err != nil {
		return change, problem.Invalid("resource", "invalid_format", "Choose a resource.")
	}
	change.Reason, change.Force = fields.Get("reason"), fields.Get("force") != ""
	if utf8.RuneCountInString(change.Reason) > maxReason {
		return change, problem.Invalid("reason", "too_long", "Expected at most 500 characters.")
	}
	from, to := fields.Get("from"), fields.Get("to")
	if fields.Get("whole") != "" {
		change.From, change.To = &from, &to
		return change, nil
	}
	if change.StartsAt, err = momentOf("from", from, loc); err != nil {
		return change, err
	}
	change.EndsAt, err = momentOf("to", to, loc)
	return change, err
}

// maxReason bounds the reason of a block, in characters, as the API does.
const maxReason = 500

// momentOf returns a time of the tenant's clocks as the API has it. Errors: problem.ValidationFailed.
func momentOf(field, text string, loc *time.Location) (*string, error) {
	at, err := time.ParseInLocation(fieldFormat, text, loc)
	if err != nil || at.Format(fieldFormat) != text {
		return nil, problem.Invalid(field, "invalid_format", "Expected a date and a time of day that the clocks show.")
	}
	moment := at.Format(time.RFC3339)
	return &moment, nil
}

// blockPage is a block.
type blockPage struct {
	catalog.Block

	Path     string
	Resource string
	Times    []string
	MayFree  bool
}

func (c *Console) showBlock(v *visit) error {
	id, err := parseID(v.c.Param("id"))
	if err != nil {
		return err
	}
	b, err := c.Catalog.Block(v.ctx(), v.tenant(), id)
	if err != nil {
		return err
	}
	known := names{}
	if err := c.addResource(v, known, b.ResourceID); err != nil {
		return err
	}
	page := blockPage{Block: b, Path: v.path("calendar", "blocks", id.String()), Resource: known[b.ResourceID],
		MayFree: v.May(tenant.ScopeAdmin) && b.ArchivedAt == nil}
	loc := v.tenant().Location
	for _, at := range b.Times {
		page.Times = append(page.Times, moment(at.StartsAt.In(loc))+" to "+moment(at.EndsAt.In(loc)))
	}
	return c.render(v, http.StatusOK, "block", "Blocked time", page)
}

// free ends a block: its time can be booked again.
func (c *Console) free(v *visit) error {
	id, err := parseID(v.c.Param("id"))
	if err != nil {
		return err
	}
	_, err = c.once(v, func(r idempotency.Request) (idempotency.Response, error) {
		return c.Catalog.ArchiveBlock(v.ctx(), v.tenant(), r, id, catalog.Archiving{Archived: true}, v.version())
	})
	if err != nil {
		return err
	}
	return v.done("freed", v.path("calendar"))
}

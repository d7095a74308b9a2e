package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// routeBlocks adds the pages of blocks.
func (c *Console) routeBlocks(of *gin.RouterGroup) {
	list, admin := need{scope: tenant.ScopeRead, cost: costOfList}, need{scope: tenant.ScopeAdmin}
	of.GET("/blocks", c.handle(list, c.user, c.showBlocks))
	of.GET("/blocks/new", c.handle(admin, c.user, c.startBlock))
	of.POST("/blocks/new", c.handle(admin.on(c.startBlock, 0), c.user, c.createBlock))
	of.GET("/blocks/:id", c.handle(need{scope: tenant.ScopeRead, cost: costOfStanding}, c.user, c.editBlock))
	of.POST("/blocks/:id", c.handle(admin.on(c.editBlock, 0), c.user, c.changeBlock))
	of.POST("/blocks/:id/archive", c.handle(admin.on(c.editBlock, 1), c.user, c.archiveBlock(true)))
	of.POST("/blocks/:id/unarchive", c.handle(admin.on(c.editBlock, 1), c.user, c.archiveBlock(false)))
}

func (c *Console) showBlocks(v *visit) error {
	q := catalog.BlockQuery{Archived: v.Query.Get("archived") != "", Limit: pageSize + 1}
	var err error
	if q.AfterDate, q.AfterID, err = v.afterDate(); err != nil {
		return err
	}
	list, err := c.Catalog.Blocks(v.ctx(), v.tenant(), q)
	if err != nil {
		return err
	}
	page := v.newCatalogList("Blocks", "blocks", "Resource", "Repeats", "Reason")
	list, page.Next = web.Page(v, list, pageSize, func(last catalog.Block) string {
		return dateKey(last.LastDate, last.ID)
	})
	_, _, known, err := c.catalogOf(v)
	if err != nil {
		return err
	}
	for _, b := range list {
		if err := c.addResource(v, known, b.ResourceID); err != nil {
			return err
		}
		repeats := "once"
		if b.RRule != nil {
			repeats = strconv.Itoa(len(b.Times)) + " times"
		}
		page.Rows = append(page.Rows, catalogRow{blockWords(b), v.blockPath(b.ID), []string{known[b.ResourceID], repeats, b.Reason}})
	}
	return c.render(v, http.StatusOK, "catalog_list", page.Title, page)
}

// blockWords says when a block is for the first time.
func blockWords(b catalog.Block) string {
	switch {
	case b.From == nil:
		return moment(*b.StartsAt) + " to " + moment(*b.EndsAt)
	case *b.From == *b.To:
		return day(*b.From)
	default:
		return day(*b.From) + " to " + day(*b.To)
	}
}

// blockPath is the path of a block.
func (v *visit) blockPath(id uuid.UUID) string { return v.path("blocks", id.String()) }

// blockForm is the form of a block.
func blockForm(t tenant.Tenant, resources []catalog.Resource) form {
	return formOf[catalog.BlockChange](t, []group{
		{Label: "What is taken", Fields: []field{
			{Name: "resource_id", Label: "Resource", Kind: kindChoice, Options: resourceOptions(resources)},
			{Name: "reason", Label: "Reason"},
		}},
		{Label: "A time", Fields: []field{
			{Name: "starts_at", Label: "From"},
			{Name: "ends_at", Label: "Until", Last: true},
		}},
		{Label: "Or whole dates", Fields: []field{
			{Name: "from", Label: "First"},
			{Name: "to", Label: "Last"},
		}},
		{Label: "More than once", Rare: true, Fields: []field{
			{Name: "rrule", Label: "Repeats",
				Help: "An RRULE (RFC 5545), such as FREQ=WEEKLY;BYDAY=MO;COUNT=10. Empty for once."},
		}},
	})
}

// blockForce is what the box says that takes the time all the same.
const blockForce = "Take the time although bookings stand there. They stay."

func (c *Console) startBlock(v *visit) error {
	values := url.Values{}
	for _, name := range []string{"resource_id", "starts_at", "ends_at", "from", "to"} {
		values.Set(name, v.Query.Get(name))
	}
	return c.newBlockForm(v, values)
}

func (c *Console) newBlockForm(v *visit, values url.Values) error {
	resources, err := c.resourcesToChoose(v, nil)
	if err != nil {
		return err
	}
	return c.renderEdit(v, editPage{
		Heading: "New block", Help: "It takes a resource, all of it, without a booking.", Path: v.path("blocks", "new"),
		Back: v.path("blocks"), Button: "Block the time", Form: blockForm(v.tenant(), resources).view(values),
		Force: blockForce, Forced: values.Get("force") != "", Beside: true,
	})
}

func (c *Console) createBlock(v *visit) error {
	resources, err := c.resourcesToChoose(v, nil)
	if err != nil {
		return err
	}
	f := blockForm(v.tenant(), resources)
	var made idempotency.Outcome
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		d["force"] = v.Form.Get("force") != ""
		change, err := readBody[catalog.BlockChange](c, d)
		if err != nil {
			return err
		}
		made, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return c.Catalog.CreateBlock(v.ctx(), v.tenant(), r, change)
		})
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.doneWithUndo("blocked", v.path("blocks"), v.blockPath(made.ID))
}

func (c *Console) blockOfPath(v *visit) (catalog.Block, error) {
	return c.Catalog.Block(v.ctx(), v.tenant(), v.ID("id"))
}

func (c *Console) editBlock(v *visit) error {
	b, err := c.blockOfPath(v)
	if err != nil {
		return err
	}
	resources, err := c.resourcesToChoose(v, &b.ResourceID)
	if err != nil {
		return err
	}
	values, err := blockForm(v.tenant(), resources).values(b.Body().BlockSpec)
	if err != nil {
		return err
	}
	return c.blockChangeForm(v, b, resources, strconv.FormatInt(b.Version, 10), values)
}

func (c *Console) blockChangeForm(v *visit, b catalog.Block, resources []catalog.Resource, version string,
	values url.Values,
) error {
	page := editPage{
		Heading: "Block " + blockWords(b), Path: v.blockPath(b.ID), Back: v.path("blocks"), Button: "Save", Version: version,
		Form: blockForm(v.tenant(), resources).view(values), Force: blockForce, Forced: values.Get("force") != "", Beside: true,
	}
	if b.RRule != nil {
		for _, t := range b.Times {
			page.Times = append(page.Times, timeWords(t, b.From != nil))
		}
	}
	page.archiving(v, b.ArchivedAt != nil, "The time can be booked again.", "Take the time again")
	page.ForceBack = b.ArchivedAt != nil
	if b.ArchivedAt == nil {
		found, more, err := c.misfits(v, booking.ConflictQuery{ResourceID: &b.ResourceID})
		if err != nil {
			return err
		}
		page.Misfits, page.More = slices.DeleteFunc(found, func(m misfit) bool { return !stands(b, m.Booking) }), more
	}
	return c.renderEdit(v, page)
}

// stands reports whether a booking stands in one of the times of a block.
func stands(block catalog.Block, b booking.Booking) bool {
	return slices.ContainsFunc(block.Times, func(t timetable.BlockTime) bool {
		return b.StartsAt.Before(t.EndsAt) && t.StartsAt.Before(b.EndsAt)
	})
}

// timeWords returns a time of a block.
func timeWords(t timetable.BlockTime, dates bool) string {
	if !dates {
		return moment(t.StartsAt) + " to " + moment(t.EndsAt)
	}
	first, last := day(datetime.DateOf(t.StartsAt, t.StartsAt.Location())),
		day(datetime.DateOf(t.EndsAt.Add(-time.Second), t.EndsAt.Location()))
	if first == last {
		return first
	}
	return first + " to " + last
}

func (c *Console) changeBlock(v *visit) error {
	b, err := c.blockOfPath(v)
	if err != nil {
		return err
	}
	resources, err := c.resourcesToChoose(v, &b.ResourceID)
	if err != nil {
		return err
	}
	f := blockForm(v.tenant(), resources)
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		shown, err := f.values(b.Body().BlockSpec)
		if err != nil {
			return err
		}
		for _, name := range []string{"starts_at", "ends_at"} {
			if text := v.Form.Get(name); text != "" && text == shown.Get(name) {
				delete(d, name) // a field can't say which one of two times it is
			}
		}
		d["force"] = v.Form.Get("force") != ""
		p, err := readPatch[catalog.BlockChange](c, d)
		if err != nil {
			return err
		}
		_, err = c.Catalog.ChangeBlock(v.ctx(), v.tenant(), b.ID, p, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.blockPath(b.ID))
}

func (c *Console) archiveBlock(archived bool) handler {
	return func(v *visit) error {
		return c.archive(v, archived, "blocks",
			func(r idempotency.Request, id uuid.UUID, how catalog.Archiving,
				version etag.Precondition) (idempotency.Outcome, error) {
				return c.Catalog.ArchiveBlock(v.ctx(), v.tenant(), r, id, how, version)
			})
	}
}

package console

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// routeBlocks adds the pages of blocks.
func (c *Console) routeBlocks() {
	list, admin := need{scope: operation.ScopeRead, cost: costOfList}, need{scope: operation.ScopeAdmin}
	p := c.blocks()
	c.get("/blocks", list, p.showList)
	c.get("/blocks/new", admin, p.showNew)
	c.post("/blocks/new", admin.on(p.showNew, 0), p.createNew)
	c.get("/blocks/:id", need{scope: operation.ScopeRead, cost: costOfStanding}, p.showChange)
	c.post("/blocks/:id", admin.on(p.showChange, 0), p.changeOne)
	c.post("/blocks/:id/archive", admin.on(p.showChange, 1), p.archiveOne)
	c.post("/blocks/:id/unarchive", admin.on(p.showChange, 1), p.unarchiveOne)
}

// blocks are the pages of blocks.
func (c *Console) blocks() *things[catalog.Block] {
	return &things[catalog.Block]{
		c:    c,
		path: "blocks",

		title:   "Blocks",
		columns: []string{"Resource", "Repeats", "Reason"},
		list: func(v *visit) (list []catalog.Block, err error) {
			q := catalog.BlockQuery{Archived: v.Query.Get("archived") != "", Limit: pageSize + 1}
			if q.AfterDate, q.AfterID, err = v.afterDate(); err != nil {
				return nil, err
			}
			return c.Catalog.Blocks(v.ctx(), v.tenant(), q)
		},
		after: func(last catalog.Block) string { return dateKey(last.LastDate, last.ID) },
		cells: func(v *visit, b catalog.Block) ([]string, error) {
			repeats := "once"
			if b.RRule != nil {
				repeats = strconv.Itoa(len(b.Times)) + " times"
			}
			resource, err := c.resourceName(v, b.ResourceID)
			return []string{resource, repeats, b.Reason}, err
		},

		get:   c.Catalog.Block,
		about: func(b catalog.Block) about { return about{b.ID, b.Version, blockWords(b), b.Body().BlockSpec} },
		form: func(v *visit, b *catalog.Block) (form, error) {
			var chosen []uuid.UUID
			if b != nil {
				chosen = []uuid.UUID{b.ResourceID}
			}
			resources, err := c.resourcesToChoose(v, chosen...)
			return blockForm(v.tenant(), resources), err
		},

		newPage: editPage{
			Heading: "New block", Help: "It takes a resource, all of it, without a booking.", Button: "Block the time",
			Force: blockForce, Beside: true,
		},
		start: func(v *visit) url.Values {
			values := url.Values{}
			for _, name := range []string{"resource_id", "starts_at", "ends_at", "from", "to"} {
				values.Set(name, v.Query.Get(name))
			}
			return values
		},
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			d["force"] = v.Form.Get("force") != ""
			return createThing(c, v, d, c.Catalog.CreateBlock)
		},
		made: func(v *visit, made idempotency.Outcome) error {
			return v.doneWithUndo("blocked", v.path("blocks"), v.blockPath(made.ID))
		},

		changePage: c.blockPage,
		change: func(v *visit, _ catalog.Block, d document) error {
			d["force"] = v.Form.Get("force") != ""
			return changeThing(c, v, d, c.Catalog.ChangeBlock)
		},

		archive: c.Catalog.ArchiveBlock,
	}
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

// blockPage has the words of the page of a block, with all its times and the bookings that stand in them.
func (c *Console) blockPage(v *visit, b catalog.Block) (editPage, error) {
	page := editPage{Heading: "Block " + blockWords(b), Force: blockForce, Beside: true}
	if b.RRule != nil {
		for _, t := range b.Times {
			page.Times = append(page.Times, timeWords(t, b.From != nil))
		}
	}
	page.archiving(v, b.ArchivedAt != nil, "The time can be booked again.", "Take the time again")
	if page.ForceBack = b.ArchivedAt != nil; page.ForceBack {
		return page, nil
	}
	found, more, err := c.misfits(v, booking.ConflictQuery{ResourceID: &b.ResourceID})
	page.Misfits, page.More = slices.DeleteFunc(found, func(m misfit) bool { return !stands(b, m.Booking) }), more
	return page, err
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

package catalog

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// routeBlocks adds the pages of blocks.
func (s section) routeBlocks() {
	p := s.blocks()
	s.Get("/blocks", frame.NeedOf(catalog.OpListBlocks), p.ShowList)
	s.FormPage("/blocks/new", catalog.OpCreateBlock, p.ShowNew, p.CreateNew)
	s.Get("/blocks/:id", standing(catalog.OpGetBlock), p.ShowChange)
	s.Form("/blocks/:id", catalog.OpChangeBlock, p.ShowChange, 0, p.ChangeOne)
	s.Form("/blocks/:id/archive", catalog.OpArchiveBlock, p.ShowChange, 1, p.ArchiveOne)
	s.Form("/blocks/:id/unarchive", catalog.OpUnarchiveBlock, p.ShowChange, 1, p.UnarchiveOne)
}

// blocks are the pages of blocks.
func (s section) blocks() *frame.Things[catalog.Block] {
	return &frame.Things[catalog.Block]{
		Console: s.Console,
		Path:    "blocks",

		Title:   "Blocks",
		Columns: []string{"Resource", "Repeats", "Reason"},
		List: func(v *frame.Visit) (list []catalog.Block, err error) {
			q := catalog.BlockQuery{Archived: v.Query.Get("archived") != "", Limit: frame.PageSize + 1}
			if q.AfterDate, q.AfterID, err = v.AfterDate(); err != nil {
				return nil, err
			}
			return s.Catalog.Blocks(v.Context(), v.Tenant(), q)
		},
		After: func(last catalog.Block) string { return frame.DateKey(last.LastDate, last.ID) },
		Cells: func(v *frame.Visit, b catalog.Block) ([]string, error) {
			repeats := "once"
			if b.RRule != nil {
				repeats = strconv.Itoa(len(b.Times)) + " times"
			}
			resource, err := s.ResourceName(v, b.ResourceID)
			return []string{resource, repeats, b.Reason}, err
		},

		Get: s.Catalog.Block,
		About: func(b catalog.Block) frame.About {
			return frame.About{ID: b.ID, Version: b.Version, Name: blockWords(b), Spec: shownBlock(b.Body().BlockSpec)}
		},
		Form: func(v *frame.Visit, b *catalog.Block) (form.Form, error) {
			var chosen []uuid.UUID
			if b != nil {
				chosen = []uuid.UUID{b.ResourceID}
			}
			resources, err := s.resourcesToChoose(v, chosen...)
			return blockForm(v.Tenant(), resources), err
		},

		NewPage: frame.EditPage{
			Heading: "New block", Help: "It takes a resource, all of it, without a booking.", Button: "Block the time",
			Force: blockForce, Beside: true,
		},
		Start: func(v *frame.Visit) url.Values {
			values := url.Values{}
			for _, name := range []string{"resource_id", "starts_at", "ends_at", "from", "to"} {
				values.Set(name, v.Query.Get(name))
			}
			return values
		},
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			d["force"] = v.Form.Get("force") != ""
			if err := setRule(d); err != nil {
				return idempotency.Outcome{}, err
			}
			return frame.Create(s.Console, v, d, s.Catalog.CreateBlock)
		},
		Made: func(v *frame.Visit, made idempotency.Outcome) error {
			return v.DoneWithUndo("blocked", v.Path("blocks"), blockPath(v, made.ID))
		},

		ChangePage: s.blockPage,
		Change: func(v *frame.Visit, _ catalog.Block, d form.Document) error {
			d["force"] = v.Form.Get("force") != ""
			if err := setRule(d); err != nil {
				return err
			}
			return frame.Change(s.Console, v, d, s.Catalog.ChangeBlock)
		},

		Archive: s.Catalog.ArchiveBlock,
	}
}

// blockWords says when a block is for the first time.
func blockWords(b catalog.Block) string {
	switch {
	case b.From == nil:
		return frame.Moment(*b.StartsAt) + " to " + frame.Moment(*b.EndsAt)
	case *b.From == *b.To:
		return frame.Day(*b.From)
	default:
		return frame.Day(*b.From) + " to " + frame.Day(*b.To)
	}
}

// blockPath is the path of a block.
func blockPath(v *frame.Visit, id uuid.UUID) string { return v.Path("blocks", id.String()) }

// blockForm is the form of a block.
func blockForm(t tenant.Tenant, resources []catalog.Resource) form.Form {
	return form.Of[catalog.BlockChange](t, []form.Group{
		{Label: "What is taken", Fields: []form.Field{
			{Name: "resource_id", Label: "Resource", Kind: form.KindChoice, Options: resourceOptions(resources)},
			{Name: "reason", Label: "Reason"},
		}},
		{Label: "A time", Fields: []form.Field{
			{Name: "starts_at", Label: "From"},
			{Name: "ends_at", Label: "Until", Last: true},
		}},
		{Label: "Or whole dates", Fields: []form.Field{
			{Name: "from", Label: "First"},
			{Name: "to", Label: "Last"},
		}},
		{Label: "More than once", Rare: true, Fields: repetitionFields()},
	})
}

// blockForce is what the box says that takes the time all the same.
const blockForce = "Take the time although bookings stand there. They stay."

// blockPage has the words of the page of a block, with all its times and the bookings that stand in them.
func (s section) blockPage(v *frame.Visit, b catalog.Block) (frame.EditPage, error) {
	page := frame.EditPage{Heading: "Block " + blockWords(b), Force: blockForce, Beside: true}
	if b.RRule != nil {
		for _, t := range b.Times {
			page.Times = append(page.Times, timeWords(t, b.From != nil))
		}
	}
	page.Archiving(v, b.ArchivedAt != nil, "The time can be booked again.", "Take the time again")
	if page.ForceBack = b.ArchivedAt != nil; page.ForceBack {
		return page, nil
	}
	found, more, err := s.misfits(v, booking.ConflictQuery{ResourceID: &b.ResourceID})
	page.Misfits, page.More = slices.DeleteFunc(found, func(m frame.Misfit) bool { return !stands(b, m.Booking) }), more
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
		return frame.Moment(t.StartsAt) + " to " + frame.Moment(t.EndsAt)
	}
	first, last := frame.Day(datetime.DateOf(t.StartsAt, t.StartsAt.Location())),
		frame.Day(datetime.DateOf(t.EndsAt.Add(-time.Second), t.EndsAt.Location()))
	if first == last {
		return first
	}
	return first + " to " + last
}

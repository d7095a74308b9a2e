package pages

import (
	"maps"
	"net/http"
	"time"

	"cloud.google.com/go/civil"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
	"holdfast/internal/web/refused"
)

// timesPage is a service with what is free.
type timesPage struct {
	Service     string
	Description string
	Price       string
	Length      string
	Deposit     string // empty without one
	Path        string // of the page itself, for its forms
	Lang        string // that the forms keep; empty for the browser's
	Choices     choices
	Key         string
	Calendar    *calendar
	Month       string // that is shown, 2026-12
	Date        string // that was chosen, 2026-12-04; empty before
	Zone        string // the tenant's time zone
	// Taken says that what was asked for was just taken, and Suggestions what can be had in its place.
	Taken       string
	Suggestions []suggestion
	// TooMuch says that it is more than visitors can take at once: there is nothing else in its place.
	TooMuch bool
	Own     *ownHold // the visitor's; nil without one
}

// choices are what a person chooses before a date.
type choices struct {
	// Counters are those of the party: one for all, or ByType one for each unit type. There is none for a service that
	// is always booked by one, or whole.
	Counters []counter
	ByType   bool
	Lengths  []lengthChoice
	Nights   []nightChoice
	// Limits say what visitors can't choose because the tenant lets them take only so much at once.
	Limits []string
}

// counter asks how many come.
type counter struct {
	Label, Field, Path string
	Price              string // of one; empty without a price of its own
	Note               string // whom it is for
	Count, Least       int
	Full               bool // there can't be one more

	takesUnits bool
}

type lengthChoice struct {
	Text, Value string
	Chosen      bool

	length timetable.Length
}

type nightChoice struct {
	Text   string
	Count  int
	Chosen bool
}

func (p *Pages) showTimes(v *visit) error {
	svc, err := v.serviceOf(v.C.Param("service"))
	if err != nil {
		return err
	}
	own, err := p.ownHold(v)
	if err != nil {
		return err
	}
	q := v.calendarOf(svc)
	if _, pressed := step(v.Query); pressed { // so that the page isn't one more when it is loaded again
		return v.redirect(q.path, q.sel.address())
	}
	refusal := &problem.Error{Code: problem.Code(v.Query.Get(fieldTaken))}
	switch d := problem.DocumentOf(refusal); {
	case refusalOf(refusal) != nil:
		return p.renderTimes(v, d.Status, q, own, refusal)
	case refused.Shows(d):
		v.Why = d
		return p.renderTimes(v, d.Status, q, own, nil)
	}
	return p.renderTimes(v, http.StatusOK, q, own, nil)
}

// fieldTaken is the code of the refusal of a time that was asked for and can't be had. A refused form leads to the page
// that says so: the browser can come back to it. What was chosen is in the address as ever, so no cookie is needed.
const fieldTaken = "taken"

// leadToRefused leads a browser to the page of a service that says why what the form asked for can't be had. It returns
// an error that no page of a form says.
func (v *visit) leadToRefused(q calendarQuery, err error) error {
	d := problem.DocumentOf(err)
	if !refused.Shows(d) {
		return err
	}
	edge.NoteProblem(v.ctx(), d)
	query := q.sel.extend(fieldTaken, string(d.Code))
	starts := v.Form.Get(fieldStarts)
	if q.sel.date == nil {
		if d, err := civil.ParseDate(firstOf(starts, len(time.DateOnly))); err == nil {
			q.sel.date = &d
		}
	}
	if _, err := time.Parse(time.RFC3339, starts); err == nil {
		query.Set(fieldStarts, starts)
	}
	if q.sel.date != nil {
		query.Set(fieldDate, q.sel.date.String())
	}
	return v.redirect(q.path, query)
}

// calendarOf returns the question for the calendar of the booking page.
func (v *visit) calendarOf(svc *catalog.BookableService) calendarQuery {
	values, _ := step(v.Query)
	if v.Form != nil {
		values = maps.Clone(v.Form)
		values.Del(fieldShow)
	}
	if length := values.Get(fieldLength); length != "" { // the select of a form has one value for both
		values = withLength(values, length)
	}
	return calendarQuery{svc: svc, sel: selectionOf(values, svc, v.today()), path: v.bookPath(svc.ID.String()),
		limits: &v.limits}
}

// renderTimes shows a service with what is free, and what would be without the visitor's own hold. taken is why what
// was asked for can't be had, nil when nothing was asked for.
func (p *Pages) renderTimes(v *visit, status int, q calendarQuery, own *ownHold, taken *problem.Error) (err error) {
	ctx, svc := v.ctx(), q.svc
	q.except = own.inTheWay()
	page := timesPage{
		Service:     svc.Name,
		Description: svc.Description,
		Price:       v.priceFrom(svc),
		Length:      v.lengthOf(svc),
		Path:        q.path,
		Key:         web.NewKey(),
		Month:       monthValue(q.sel.month),
		Zone:        v.tenant.Location.String(),
		Lang:        v.chosenLanguage(),
		Own:         own,
	}
	if q.sel.date != nil {
		page.Date = q.sel.date.String()
	}
	if svc.Deposit > 0 {
		page.Deposit = v.amount(svc.Deposit, svc.Currency)
	}
	if page.Calendar, err = p.calendar(ctx, v, q); err != nil {
		return err
	}
	page.Choices = v.choicesOf(svc, q.sel, page.Calendar.LargestParty)
	tooMuch := v.beyondLimits(q)
	page.Choices.limit(v, q)
	if taken != nil && tooMuch != "" {
		page.Taken, page.TooMuch = tooMuch, true
	} else if taken != nil {
		page.Taken = v.whyTaken(taken)
		if taken.Code == problem.ValidationFailed && q.sel.partySize > page.Calendar.LargestParty {
			page.Taken = v.text("taken_too_many")
		}
		starts, _ := time.Parse(time.RFC3339, v.Query.Get(fieldStarts))
		from := v.today()
		if q.sel.date != nil {
			from = maxDate(from, *q.sel.date)
		}
		if page.Suggestions, err = p.nextFree(ctx, v, q, from, starts); err != nil {
			return err
		}
	}
	return p.render(v, status, "times", svc.Name, page)
}

// whyTaken says kindly why a time can't be had.
func (v *visit) whyTaken(err *problem.Error) string {
	if name := "taken_" + string(err.Code); v.hasText(name) {
		return v.text(name)
	}
	return v.text("taken_slot_unavailable")
}

// choicesOf returns what a person can choose of a service, with what is chosen. largest is the largest party that fits
// one booking.
func (v *visit) choicesOf(svc *catalog.BookableService, sel selection, largest int) (c choices) {
	path := v.bookPath(svc.ID.String())
	c.ByType = len(svc.UnitTypes) > 0
	if !c.ByType && (largest > 1 || sel.partySize > 1) &&
		(svc.Occupies != timetable.OccupiesWhole || svc.PricePer == timetable.PerUnit) {
		c.Counters = append(c.Counters,
			counter{Label: v.text("how_many"), Field: fieldParty, Path: path, Count: sel.partySize,
				Least: max(svc.MinPartySize, 1), takesUnits: true})
	}
	for _, u := range svc.UnitTypes {
		c.Counters = append(c.Counters, counter{
			Label: u.Name, Price: v.amount(u.Price, svc.Currency), Field: partyField + u.Key, Path: path,
			Note:       v.noteOf(u),
			Count:      sel.party[u.Key],
			Least:      u.MinCount,
			takesUnits: u.Counts,
		})
	}
	for _, l := range lengthsOf(svc) {
		c.Lengths = append(c.Lengths,
			lengthChoice{Text: v.length(l), Value: lengthValue(l), Chosen: l == sel.length, length: l})
	}
	if svc.Kind == timetable.KindStay {
		for n := svc.LeastNights(); n <= svc.MaxNights; n++ {
			c.Nights = append(c.Nights,
				nightChoice{Text: v.text("nights", "Count", n), Count: n, Chosen: n == sel.nights})
		}
	}
	return c
}

// noteOf says whom a unit type is for, in words; empty if the service doesn't say.
func (v *visit) noteOf(u timetable.UnitType) string {
	var ages string
	switch {
	case u.MinAge != nil && u.MaxAge != nil:
		ages = v.text("ages_between", "From", *u.MinAge, "To", *u.MaxAge)
	case u.MinAge != nil:
		ages = v.text("ages_from", "From", *u.MinAge)
	case u.MaxAge != nil:
		ages = v.text("ages_to", "To", *u.MaxAge)
	}
	if ages == "" || u.Note == "" {
		return ages + u.Note
	}
	return ages + " · " + u.Note
}

// hold holds the time that a form asks for, and leads to the page of the booking.
func (p *Pages) hold(v *visit) error {
	svc, err := v.serviceOf(v.C.Param("service"))
	if err != nil {
		return err
	}
	q := v.calendarOf(svc)
	if q.sel.altered {
		return v.leadToRefused(q, problem.New(problem.MalformedRequest, "The form has a value that can't be."))
	}
	own, err := p.ownHold(v)
	if err != nil {
		return err
	}
	wanted := booking.CreateRequest{
		ServiceID:        svc.ID,
		When:             q.sel.when(v.Form, svc.Kind),
		PartySize:        q.sel.size(),
		Party:            q.sel.party,
		HoldMinutes:      new(v.page.HoldFor()),
		ConfirmOnDeposit: true,
		ByVisitor:        true,
		Limited:          true,
	}
	if own != nil && own.matches(wanted) {
		return v.redirect(own.URL, nil)
	}
	var replaced *ownHold
	if own.inTheWay() != nil && p.fitsInstead(v, own, wanted) {
		replaced = own
	}
	resp, err := p.makeHold(v, wanted, replaced)
	if err != nil {
		return v.leadToRefused(q, err)
	}
	link := booking.Link{TenantID: v.tenant.ID, BookingID: resp.ID}
	p.keepHold(v, link) // also after a repetition: the first answer may not have arrived
	if !resp.Replayed && own.inTheWay() != nil {
		if err := p.letGo(v, own); err != nil {
			return err
		}
	}
	return v.redirect(p.bookingPath(link), nil)
}

// makeHold makes a hold, and lets another one of the visitor go for it.
func (p *Pages) makeHold(v *visit, wanted booking.CreateRequest, replaced *ownHold) (idempotency.Outcome, error) {
	return p.once(v, func(r idempotency.Request) (resp idempotency.Outcome, err error) {
		giveBack, err := p.admission.TakeVisitorHold(v.C, v.tenant.ID, 0)
		if err != nil {
			return resp, err
		}
		giveStock := func() {}
		defer func() {
			if err != nil || resp.Replayed {
				giveBack()
				giveStock()
			}
		}()
		if replaced != nil { // first: what it counted is there for the new one
			if err := p.letGo(v, replaced); err != nil {
				return resp, err
			}
		}
		if giveStock, err = p.admission.TakeVisitorStock(v.C, v.tenant.ID, wanted.UnitNights()); err != nil {
			return resp, err
		}
		return p.Bookings.Create(v.ctx(), v.tenant, r, wanted)
	})
}

// firstOf returns the first n bytes of a text, or all of it.
func firstOf(text string, n int) string { return text[:min(n, len(text))] }

package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/internal/bounds"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// fieldKind is how a value is written in a form. The template input shows each kind.
type fieldKind string

// The kinds of fields.
const (
	kindText    fieldKind = "text"
	kindLines   fieldKind = "lines"   // a text that may have several lines
	kindNumber  fieldKind = "number"  // a whole number
	kindSpan    fieldKind = "span"    // minutes, written in minutes, hours or days
	kindMoney   fieldKind = "money"   // minor units, written as an amount
	kindCheck   fieldKind = "check"   // true or false
	kindChoice  fieldKind = "choice"  // one of the options
	kindMany    fieldKind = "many"    // some of the options, in their order
	kindOrdered fieldKind = "ordered" // some of the options, in an order of their own
	kindDate    fieldKind = "date"
	kindClock   fieldKind = "clock"  // a time of day
	kindMoment  fieldKind = "moment" // a date and a time of day in the tenant's time zone
	kindList    fieldKind = "list"   // texts, one a line
	kindRows    fieldKind = "rows"   // a list of objects, a row each
	kindJSON    fieldKind = "json"   // what is too rare for fields, as the API shows it
)

// field is a field of a form. Its name is the path of its value in the document of the API. What isn't set here is as
// the type of the request has it: see formOf.
type field struct {
	Name, Label, Help string
	Kind              fieldKind
	// Options are what can be chosen, and Labels what the values of the type are called; one that isn't there by its name.
	Options []option
	Labels  map[string]string
	Fields  []field // of a row
	Max     int     // characters of a text, or rows
	// Toggle is what a box says without which a list is absent; empty for a list that is always there.
	Toggle string
	// Needs is the choice of another field without which this one says nothing.
	Needs    choice
	Zero     bool // 0 is a value, and not the same as none
	Last     bool // of two moments at which clocks show a time it is the later one
	Required bool
}

// choice is a choice of a field: a switch that other fields need.
type choice struct{ Field, Value string }

// option is what can be chosen.
type option struct{ Value, Label string }

// group is what belongs together in a form. Rare ones are folded.
type group struct {
	Label, Help string
	Rare        bool
	Fields      []field
}

// form maps fields that people fill in to a document of the API, and back. What the values may be is checked by the API's schemas and the
// use case: see Console.readBody and Console.readPatch.
type form struct {
	groups   []group
	currency string
	loc      *time.Location
	// shown is what stood in the fields before they were filled in; nil for something new.
	shown url.Values
}

// formOf returns the form of a request of type T. Its fields have what the type says of them: whether they are
// required, the bounds of texts and lists, the values to choose from, and the kind that shows such a value. A field
// that T lacks is a defect.
func formOf[T any](t tenant.Tenant, groups []group) form {
	for _, g := range groups {
		describe(reflect.TypeFor[T](), "", g.Fields)
	}
	return newForm(t, groups)
}

// newForm returns a form of fields that say everything themselves.
func newForm(t tenant.Tenant, groups []group) form {
	return form{currency: t.Currency, loc: t.Location, groups: groups}
}

// describe adds to fields what a type says of them. Those of rows have the path of the rows before their names; none of
// them is required, because a row may stay empty.
func describe(t reflect.Type, rows string, fields []field) {
	for i := range fields {
		fl := &fields[i]
		said, ok := bounds.FieldOf(t, rows+fl.Name)
		if !ok {
			panic("console: " + t.String() + " has no field " + rows + fl.Name)
		}
		fl.Kind, fl.Max = cmp.Or(fl.Kind, kindOf(said)), cmp.Or(fl.Max, said.Max)
		fl.Required = fl.Required || said.Required && rows == ""
		if fl.Options == nil {
			for _, value := range said.Values {
				fl.Options = append(fl.Options, option{value, cmp.Or(fl.Labels[value], web.Named(value))})
			}
		}
		describe(t, rows+fl.Name+".", fl.Fields)
	}
}

// kindOf returns how a form shows values that a type has.
func kindOf(said bounds.Field) fieldKind {
	list := said.Type.Kind() == reflect.Slice
	switch {
	case list && said.Type.Elem().Kind() == reflect.Struct:
		return kindRows
	case list && said.Values != nil:
		return kindMany
	case list:
		return kindList
	case said.Values != nil:
		return kindChoice
	case said.Type.Kind() == reflect.Bool:
		return kindCheck
	case said.Type.Kind() == reflect.Int:
		return kindNumber
	case said.Format == "date":
		return kindDate
	case said.Format == "date-time", said.Type == reflect.TypeFor[time.Time]():
		return kindMoment
	default:
		return kindText
	}
}

// submit has what was filled in worked on. A refusal names the fields as the form does.
func (f form) submit(given url.Values, work func(document) error) error {
	d, err := f.document(given)
	if err == nil {
		err = work(d)
	}
	return f.inWords(err)
}

// showing returns the form with what stood in its fields.
func (f form) showing(shown url.Values) form {
	f.shown = shown
	return f
}

// typed reports whether somebody filled in a field: there is something else in it than before.
func (f form) typed(name string, given url.Values) bool {
	text := strings.TrimSpace(given.Get(name))
	return text != "" && (text != strings.TrimSpace(f.shown.Get(name)) || given.Get(name+unit) != f.shown.Get(name+unit))
}

// checkNeeds refuses what was typed in a field that the choice of another one makes say nothing. What stood there before may go.
func (f form) checkNeeds(fl field, given url.Values) error {
	if fl.Needs.Field == "" || given.Get(fl.Needs.Field) == fl.Needs.Value || !f.typed(fl.Name, given) {
		return nil
	}
	needed, value := fl.Needs.Field, fl.Needs.Value
	for _, g := range f.groups {
		for _, other := range g.Fields {
			if other.Name != fl.Needs.Field {
				continue
			}
			needed = other.Label
			for _, o := range other.Options {
				if o.Value == fl.Needs.Value {
					value = o.Label
				}
			}
		}
	}
	return problem.Invalid(fl.Name, "excluded",
		fmt.Sprintf("It counts only with “%s: %s”. Choose that, or leave this empty.", needed, value))
}

// document is a JSON object of the API. A nil value says that the field is empty.
type document = map[string]any

// optionalObjects are the objects that are absent if nothing in them is filled in.
var optionalObjects = []string{"cancellation_policy.no_show", "balance_due", "email.from"}

// spanUnits are the units in which a time is written, in minutes, the largest first.
var spanUnits = []struct {
	name    string
	minutes int
}{{"days", 24 * 60}, {"hours", 60}, {"minutes", 1}}

const (
	maxRows = 1000 // that a form is read for
	ownPart = ".own"
	unit    = ".unit"
)

// document returns what was filled in. Errors: problem.ValidationFailed for what can't be read.
func (f form) document(given url.Values) (document, error) {
	d := document{}
	for _, g := range f.groups {
		for _, fl := range g.Fields {
			if err := f.checkNeeds(fl, given); err != nil {
				return nil, err
			}
			if text := given.Get(fl.Name); fl.Kind == kindMoment && text != "" && text == f.shown.Get(fl.Name) {
				continue // it stays: a field can't say which one of two times it is
			}
			value, err := f.read(fl, fl.Name, given)
			if err != nil {
				return nil, err
			}
			set(d, fl.Name, value)
		}
	}
	for _, name := range optionalObjects {
		if object, ok := at(d, name).(document); ok && isEmpty(object) {
			set(d, name, nil)
		}
	}
	return d, nil
}

// set puts a value at a path.
func set(d document, name string, value any) {
	parts := strings.Split(name, ".")
	for _, part := range parts[:len(parts)-1] {
		below, ok := d[part].(document)
		if !ok {
			below = document{}
			d[part] = below
		}
		d = below
	}
	d[parts[len(parts)-1]] = value
}

// at returns the value at a path, nil if there is none.
func at(d document, name string) any {
	var value any = d
	for part := range strings.SplitSeq(name, ".") {
		object, _ := value.(document)
		value = object[part]
	}
	return value
}

func isEmpty(d document) bool {
	for _, value := range d {
		if value != nil {
			return false
		}
	}
	return true
}

// read returns the value of a field that stands in a form by a name. nil stands for an empty one.
func (f form) read(fl field, name string, given url.Values) (any, error) {
	text := given.Get(name)
	switch fl.Kind {
	case kindCheck:
		return text != "", nil
	case kindMany:
		chosen := []string{}
		for _, o := range fl.Options {
			if slices.Contains(given[name], o.Value) {
				chosen = append(chosen, o.Value)
			}
		}
		return listOrNil(chosen), nil
	case kindOrdered:
		return readOrdered(fl, name, given)
	case kindRows:
		return f.readRows(fl, name, given)
	case kindLines:
		text = strings.ReplaceAll(text, "\r\n", "\n")
	default:
		text = strings.TrimSpace(text)
	}
	if text == "" {
		return nil, nil
	}
	switch fl.Kind {
	case kindNumber:
		return wholeNumber(name, text)
	case kindSpan:
		return readSpan(name, text, given.Get(name+unit))
	case kindMoney:
		return minorOf(name, text, f.currency)
	case kindMoment:
		found, err := momentsOf(name, text, f.loc)
		if err != nil {
			return nil, err
		}
		at := found[0]
		if fl.Last {
			at = found[len(found)-1]
		}
		return at.Format(time.RFC3339), nil
	case kindList:
		return listOrNil(strings.Fields(text)), nil
	case kindJSON:
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return nil, problem.Invalid(name, "invalid_format", "Expected JSON, as the API shows it.")
		}
		return json.RawMessage(text), nil
	default:
		return text, nil
	}
}

func listOrNil(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

func wholeNumber(name, text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, problem.Invalid(name, "invalid_format", "Expected a whole number.")
	}
	return n, nil
}

// readSpan returns minutes.
func readSpan(name, text, unit string) (any, error) {
	n, err := strconv.Atoi(text)
	factor := 1
	for _, u := range spanUnits {
		if u.name == unit {
			factor = u.minutes
		}
	}
	if err != nil || n < 0 || n > 1<<31/factor {
		return nil, problem.Invalid(name, "invalid_format", "Expected a number of minutes, hours or days.")
	}
	return n * factor, nil
}

// readOrdered returns the options that have a number, in the order of the numbers.
func readOrdered(fl field, name string, given url.Values) (any, error) {
	type place struct {
		value string
		n     int
	}
	var places []place
	for _, o := range fl.Options {
		text := strings.TrimSpace(given.Get(name + "." + o.Value))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, problem.Invalid(name, "invalid_format", "Expected numbers that say the order.")
		}
		places = append(places, place{o.Value, n})
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.n - b.n })
	chosen := make([]string, len(places))
	for i, p := range places {
		chosen[i] = p.value
	}
	return listOrNil(chosen), nil
}

// readRows returns the rows that have something in them. A choice always has something, and a box may still be ticked in a row that was
// emptied: they count only if somebody chose them.
func (f form) readRows(fl field, name string, given url.Values) (any, error) {
	rows := []document{}
	off, typed := fl.Toggle != "" && given.Get(name+ownPart) == "", false
	for _, i := range rowNumbers(name, given) {
		row, filled := document{}, false
		for _, sub := range fl.Fields {
			at := rowPath(name, i, sub.Name)
			value, err := f.read(sub, at, given)
			if err != nil {
				return nil, err
			}
			if value == nil {
				continue
			}
			row[sub.Name] = value
			switch sub.Kind {
			case kindCheck:
				filled = filled || f.typed(at, given)
			case kindChoice:
				filled = filled || f.typed(at, given) && value != sub.Options[0].Value
			default:
				filled = true
			}
			typed = typed || filled && f.typed(at, given)
		}
		if filled {
			rows = append(rows, row)
		}
	}
	switch {
	case off && typed:
		return nil, problem.Invalid(name, "excluded",
			fmt.Sprintf("It counts only with “%s” ticked. Tick it, or leave this empty.", fl.Toggle))
	case off, len(rows) == 0 && fl.Toggle == "":
		return nil, nil
	}
	return rows, nil
}

// rowPath is the name of a field of a row.
func rowPath(name string, row int, field string) string {
	return fmt.Sprintf("%s.%d.%s", name, row, field)
}

// rowNumbers returns the numbers of the rows that a form has, in their order.
func rowNumbers(name string, given url.Values) []int {
	seen := map[int]bool{}
	for key := range given {
		rest, ok := strings.CutPrefix(key, name+".")
		if !ok {
			continue
		}
		number, _, ok := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(number); ok && err == nil && i >= 0 && i < maxRows && len(number) < 5 {
			seen[i] = true
		}
	}
	numbers := make([]int, 0, len(seen))
	for i := range seen {
		numbers = append(numbers, i)
	}
	slices.Sort(numbers)
	return numbers
}

// withoutEmpty removes what is empty, for a document of something new.
func withoutEmpty(d document) document {
	for name, value := range d {
		if below, ok := value.(document); ok {
			withoutEmpty(below)
		}
		if value == nil {
			delete(d, name)
		}
	}
	return d
}

// readBody returns a T that a document shows, after the checks that the API makes of the body of a request. Errors:
// problem.MalformedRequest, problem.ValidationFailed.
func readBody[T any](check web.CheckBody, d document) (T, error) {
	return web.ReadBody[T](check, withoutEmpty(d))
}

// readPatch is readBody for a patch of a T, in which what is empty removes what was there.
func readPatch[T any](check web.CheckBody, d document) (p mergepatch.Patch[T], err error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return p, err
	}
	if err := check(reflect.TypeFor[T](), true, raw); err != nil {
		return p, err
	}
	return mergepatch.Of[T](string(raw)), nil
}

// inWords names the fields of a refusal as the form does.
func (f form) inWords(err error) error { return nameFields(err, f.label) }

// nameFields returns a refusal with other names of its fields. Any other error stays as it is.
func nameFields(err error, name func(string) string) error {
	var found *problem.Error
	if !errors.As(err, &found) || len(found.Fields) == 0 {
		return err
	}
	named := *found
	named.Fields = slices.Clone(found.Fields)
	for i, f := range named.Fields {
		named.Fields[i].Name = name(f.Name)
	}
	return &named
}

// label returns what the form calls a field, and otherwise its name. Of a list it also says which row.
func (f form) label(name string) string {
	for _, g := range f.groups {
		for _, fl := range g.Fields {
			if fl.Name == name {
				return fl.Label
			}
			rest, ok := strings.CutPrefix(name, fl.Name)
			if !ok || fl.Kind != kindRows || !strings.ContainsAny(rest[:min(1, len(rest))], "[.") {
				continue
			}
			number, below, _ := strings.Cut(strings.NewReplacer("[", ".", "]", "").Replace(rest)[1:], ".")
			row, err := strconv.Atoi(number)
			if err != nil {
				continue
			}
			label := fmt.Sprintf("%s, row %d", fl.Label, row+1)
			for _, sub := range fl.Fields {
				if sub.Name == below || strings.HasPrefix(below, sub.Name+".") {
					label += ": " + sub.Label
				}
			}
			return label
		}
	}
	return name
}

// indented returns JSON as people read it.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

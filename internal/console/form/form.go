package form

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

// Kind is how a value is written in a form. The template input shows each kind.
type Kind string

// The kinds of fields.
const (
	KindText    Kind = "text"
	KindLines   Kind = "lines" // a text that may have several lines
	KindEmail   Kind = "email"
	KindPhone   Kind = "tel"
	KindNumber  Kind = "number"  // a whole number
	KindSpan    Kind = "span"    // minutes, written in minutes, hours or days
	KindMoney   Kind = "money"   // minor units, written as an amount
	KindCheck   Kind = "check"   // true or false
	KindChoice  Kind = "choice"  // one of the options
	KindMany    Kind = "many"    // some of the options, in their order
	KindOrdered Kind = "ordered" // some of the options, in an order of their own
	KindTicked  Kind = "ticked"  // the same, of which the order is that in which they were ticked
	KindDate    Kind = "date"
	KindClock   Kind = "clock"   // a time of day
	KindClocks  Kind = "clocks"  // times of day, with commas between them
	KindYearDay Kind = "yearday" // a date or, with KindYearly ticked, a day of each year
	KindYearly  Kind = "yearly"  // whether the KindYearDay fields beside it are of each year; no field of the API
	KindMoment  Kind = "moment"  // a date and a time of day in the tenant's time zone
	KindDates   Kind = "dates"   // dates, with commas between them
	KindColour  Kind = "colour"  // #rrggbb
	KindList    Kind = "list"    // texts, one a line
	KindRows    Kind = "rows"    // a list of objects, a row each
	KindJSON    Kind = "json"    // what is too rare for fields, as the API shows it
)

// Field is a field of a form. Its name is the path of its value in the document of the API. What isn't set here is as
// the type of the request has it: see Of.
type Field struct {
	Name, Label, Help string
	Kind              Kind
	// Options are what can be chosen, and Labels what the values of the type are called; one that isn't there by its
	// name.
	Options []Option
	Labels  map[string]string
	Fields  []Field // of a row
	Max     int     // characters of a text, or rows
	// Toggle is what a box says without which a list is absent; empty for a list that is always there.
	Toggle string
	// Needs is the choice of another field without which this one says nothing.
	Needs Choice
	Zero  bool // 0 is a value, and not the same as none
	Last  bool // of two moments at which clocks show a time it is the later one
	// Own says that the type of the request has no field of this name: the name is a key of a map, or only the form
	// has it.
	Own      bool
	Required bool
}

// Choice is a choice of a field: a switch that other fields need.
type Choice struct{ Field, Value string }

// Option is what can be chosen.
type Option struct{ Value, Label string }

// Group is what belongs together in a form. Rare ones are folded.
type Group struct {
	Label, Help string
	Rare        bool
	Fields      []Field
}

// Form maps fields that people fill in to a document of the API, and back. What the values may be is checked by the
// API's schemas and the use case: see ReadBody and ReadPatch.
type Form struct {
	Groups   []Group
	currency string
	loc      *time.Location
	// shown is what stood in the fields before they were filled in; nil for something new.
	shown url.Values
}

// Of returns the form of a request of type T. Its fields have what the type says of them: whether they are
// required, the bounds of texts and lists, the values to choose from, and the kind that shows such a value. A field
// that T lacks is a defect.
func Of[T any](t tenant.Tenant, groups []Group) Form {
	for _, g := range groups {
		describe(reflect.TypeFor[T](), "", g.Fields)
	}
	return New(t, groups)
}

// Short returns the form with some of its fields outright, in a group of a label and in their order, and all others
// folded. A field of first that has a label has it in place of its own. One that the form lacks is a defect.
func (f Form) Short(label string, first []Field) Form {
	outright := Group{Label: label, Fields: make([]Field, len(first))}
	var groups []Group
	found := 0
	for _, g := range f.Groups {
		g.Rare, g.Fields = true, slices.DeleteFunc(slices.Clone(g.Fields), func(fl Field) bool {
			i := slices.IndexFunc(first, func(of Field) bool { return of.Name == fl.Name })
			if i >= 0 {
				fl.Label = cmp.Or(first[i].Label, fl.Label)
				outright.Fields[i] = fl
				found++
			}
			return i >= 0
		})
		if len(g.Fields) > 0 {
			groups = append(groups, g)
		}
	}
	if found != len(first) {
		panic("form: a field that comes first isn't one of the form's")
	}
	f.Groups = append([]Group{outright}, groups...)
	return f
}

// New returns a form of fields that say everything themselves.
func New(t tenant.Tenant, groups []Group) Form {
	return Form{currency: t.Currency, loc: t.Location, Groups: groups}
}

// describe adds to fields what a type says of them. Those of rows have the path of the rows before their names; none of
// them is required, because a row may stay empty.
func describe(t reflect.Type, rows string, fields []Field) {
	for i := range fields {
		fl := &fields[i]
		if fl.Own {
			continue
		}
		said, ok := bounds.FieldOf(t, rows+fl.Name)
		if !ok {
			panic("form: " + t.String() + " has no field " + rows + fl.Name)
		}
		fl.Kind, fl.Max = cmp.Or(fl.Kind, kindOf(said)), cmp.Or(fl.Max, said.Max)
		fl.Required = fl.Required || said.Required && rows == ""
		if fl.Options == nil {
			for _, value := range said.Values {
				fl.Options = append(fl.Options, Option{value, cmp.Or(fl.Labels[value], web.Named(value))})
			}
		}
		describe(t, rows+fl.Name+".", fl.Fields)
	}
}

// kindOf returns how a form shows values that a type has.
func kindOf(said bounds.Field) Kind {
	list := said.Type.Kind() == reflect.Slice
	switch {
	case list && said.Type.Elem().Kind() == reflect.Struct:
		return KindRows
	case list && said.Values != nil:
		return KindMany
	case list:
		return KindList
	case said.Values != nil:
		return KindChoice
	case said.Type.Kind() == reflect.Bool:
		return KindCheck
	case said.Type.Kind() == reflect.Int:
		return KindNumber
	case said.Format == "date":
		return KindDate
	case said.Format == "date-time", said.Type == reflect.TypeFor[time.Time]():
		return KindMoment
	default:
		return KindText
	}
}

// Submit has what was filled in worked on. A refusal names the fields as the form does.
func (f Form) Submit(given url.Values, work func(Document) error) error {
	d, err := f.Document(given)
	if err == nil {
		err = work(d)
	}
	return f.InWords(err)
}

// Showing returns the form with what stood in its fields.
func (f Form) Showing(shown url.Values) Form {
	f.shown = shown
	return f
}

// typed reports whether somebody filled in a field: there is something else in it than before.
func (f Form) typed(name string, given url.Values) bool {
	text := strings.TrimSpace(given.Get(name))
	return text != "" &&
		(text != strings.TrimSpace(f.shown.Get(name)) || given.Get(name+UnitSuffix) != f.shown.Get(name+UnitSuffix))
}

// checkNeeds refuses what was typed in a field that the choice of another one makes say nothing. What stood there
// before may go.
func (f Form) checkNeeds(fl Field, given url.Values) error {
	if fl.Needs.Field == "" || given.Get(fl.Needs.Field) == fl.Needs.Value || !f.typed(fl.Name, given) {
		return nil
	}
	needed, value := fl.Needs.Field, fl.Needs.Value
	for _, g := range f.Groups {
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

// Document is a JSON object of the API. A nil value says that the field is empty.
type Document = map[string]any

// optionalObjects are the objects that are absent if nothing in them is filled in.
var optionalObjects = []string{"cancellation_policy.no_show", "balance_due", "email.from"}

// spanUnits are the units in which a time is written, in minutes, the largest first.
var spanUnits = []struct {
	name    string
	minutes int
}{{"days", 24 * 60}, {"hours", 60}, {"minutes", 1}}

const (
	// MaxRows is how many rows of a list a form is read for.
	MaxRows = 1000
	// UnitSuffix ends the name of the field with the unit of a time.
	UnitSuffix = ".unit"
	ownPart    = ".own"
)

// Document returns what was filled in. Errors: problem.ValidationFailed for what can't be read.
func (f Form) Document(given url.Values) (Document, error) {
	d := Document{}
	for _, g := range f.Groups {
		for _, fl := range g.Fields {
			if err := f.checkNeeds(fl, given); err != nil {
				return nil, err
			}
			if text := given.Get(fl.Name); fl.Kind == KindMoment && text != "" && text == f.shown.Get(fl.Name) {
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
		if object, ok := At(d, name).(Document); ok && isEmpty(object) {
			set(d, name, nil)
		}
	}
	return d, nil
}

// set puts a value at a path.
func set(d Document, name string, value any) {
	parts := strings.Split(name, ".")
	for _, part := range parts[:len(parts)-1] {
		below, ok := d[part].(Document)
		if !ok {
			below = Document{}
			d[part] = below
		}
		d = below
	}
	d[parts[len(parts)-1]] = value
}

// At returns the value at a path, nil if there is none.
func At(d Document, name string) any {
	var value any = d
	for part := range strings.SplitSeq(name, ".") {
		object, _ := value.(Document)
		value = object[part]
	}
	return value
}

func isEmpty(d Document) bool {
	for _, value := range d {
		if value != nil {
			return false
		}
	}
	return true
}

// read returns the value of a field that stands in a form by a name. nil stands for an empty one.
func (f Form) read(fl Field, name string, given url.Values) (any, error) {
	text := given.Get(name)
	switch fl.Kind {
	case KindCheck:
		return text != "", nil
	case KindMany:
		chosen := []string{}
		for _, o := range fl.Options {
			if slices.Contains(given[name], o.Value) {
				chosen = append(chosen, o.Value)
			}
		}
		return listOrNil(chosen), nil
	case KindOrdered, KindTicked:
		return readOrdered(fl, name, given)
	case KindRows:
		return f.readRows(fl, name, given)
	case KindLines:
		text = strings.ReplaceAll(text, "\r\n", "\n")
	default:
		text = strings.TrimSpace(text)
	}
	if text == "" {
		return nil, nil
	}
	switch fl.Kind {
	case KindNumber:
		return wholeNumber(name, text)
	case KindSpan:
		return ReadSpan(name, text, given.Get(name+UnitSuffix))
	case KindMoney:
		return MinorUnits(name, text, f.currency)
	case KindMoment:
		found, err := Moments(name, text, f.loc)
		if err != nil {
			return nil, err
		}
		at := found[0]
		if fl.Last {
			at = found[len(found)-1]
		}
		return at.Format(time.RFC3339), nil
	case KindList:
		return listOrNil(strings.Fields(text)), nil
	case KindClocks:
		list, err := clocks(name, text)
		return listOrNil(list), err
	case KindDates:
		return listOrNil(separated(text)), nil
	case KindYearDay:
		if given.Get(fieldBeside(name, yearlyField)) != "" {
			return text[min(len(text), len("2027-")):], nil
		}
		return text, nil
	case KindYearly: // the fields beside it say it
		return nil, nil
	case KindJSON:
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

// ReadSpan returns minutes.
func ReadSpan(name, text, unit string) (any, error) {
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
func readOrdered(fl Field, name string, given url.Values) (any, error) {
	type numbered struct {
		value string
		n     int
	}
	var ticked []numbered
	for _, o := range fl.Options {
		text := strings.TrimSpace(given.Get(name + "." + o.Value))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, problem.Invalid(name, "invalid_format", "Expected numbers that say the order.")
		}
		ticked = append(ticked, numbered{o.Value, n})
	}
	slices.SortStableFunc(ticked, func(a, b numbered) int { return a.n - b.n })
	chosen := make([]string, len(ticked))
	for i, t := range ticked {
		chosen[i] = t.value
	}
	return listOrNil(chosen), nil
}

// readRows returns the rows that have something in them. A choice always has something, and a box may still be ticked
// in a row that was emptied: they count only if somebody chose them.
func (f Form) readRows(fl Field, name string, given url.Values) (any, error) {
	rows := []Document{}
	off, typed := fl.Toggle != "" && given.Get(name+ownPart) == "", false
	for _, i := range rowNumbers(name, given) {
		row, filled := Document{}, false
		for _, sub := range fl.Fields {
			at := RowPath(name, i, sub.Name)
			value, err := f.read(sub, at, given)
			if err != nil {
				return nil, err
			}
			if value == nil {
				continue
			}
			set(row, sub.Name, value)
			switch sub.Kind {
			case KindCheck:
				filled = filled || f.typed(at, given)
			case KindChoice:
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

// RowPath is the name of a field of a row.
func RowPath(name string, row int, field string) string {
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
		if i, err := strconv.Atoi(number); ok && err == nil && i >= 0 && i < MaxRows && len(number) < 5 {
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
func withoutEmpty(d Document) Document {
	for name, value := range d {
		if below, ok := value.(Document); ok {
			withoutEmpty(below)
		}
		if value == nil {
			delete(d, name)
		}
	}
	return d
}

// ReadBody returns a T that a document shows, after the checks that the API makes of the body of a request. Errors:
// problem.MalformedRequest, problem.ValidationFailed.
func ReadBody[T any](check web.CheckBody, d Document) (T, error) {
	return web.ReadBody[T](check, withoutEmpty(d))
}

// ReadPatch is ReadBody for a patch of a T, in which what is empty removes what was there.
func ReadPatch[T any](check web.CheckBody, d Document) (p mergepatch.Patch[T], err error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return p, err
	}
	if err := check(reflect.TypeFor[T](), true, raw); err != nil {
		return p, err
	}
	return mergepatch.Of[T](string(raw)), nil
}

// InWords names the fields of a refusal as the form does.
func (f Form) InWords(err error) error { return NameFields(err, f.label) }

// NameFields returns a refusal with other names of its fields. Any other error stays as it is.
func NameFields(err error, name func(string) string) error {
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
func (f Form) label(name string) string {
	for _, g := range f.Groups {
		for _, fl := range g.Fields {
			if fl.Name == name {
				return fl.Label
			}
			rest, ok := strings.CutPrefix(name, fl.Name)
			if !ok || fl.Kind != KindRows || !strings.ContainsAny(rest[:min(1, len(rest))], "[.") {
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

// Indented returns JSON as people read it.
func Indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

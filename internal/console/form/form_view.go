package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// afterAll is the number of an ordered option that isn't ticked yet: it comes after those that are, in their order.
const afterAll = "1000"

// blankRows is how many empty rows a list shows after those that it has.
const blankRows = 2

// View is a form with what stands in its fields.
type View struct {
	Groups []groupView
}

type groupView struct {
	Group

	Inputs []input
}

// input is a field with what stands in it.
type input struct {
	Field

	Path    string // name of the control
	Value   string
	Unit    string // of a time
	Ticked  bool
	Options []TickedOption
	Rows    [][]input
}

// TickedOption is an option as it stands in a form.
type TickedOption struct {
	Value, Label string
	Ticked       bool
	Path, Number string // of an ordered option: the name of its control, and the number that it has if it is ticked
}

// Units are those in which a time can be written.
func (input) Units() []string {
	var names []string
	for _, u := range slices.Backward(spanUnits) {
		names = append(names, u.name)
	}
	return names
}

// View returns the form with what stands in its fields.
func (f Form) View(values url.Values) View {
	var view View
	for _, g := range f.Groups {
		shown := groupView{Group: g}
		for _, fl := range g.Fields {
			shown.Inputs = append(shown.Inputs, inputOf(fl, fl.Name, values))
		}
		view.Groups = append(view.Groups, shown)
	}
	return view
}

func inputOf(fl Field, path string, values url.Values) input {
	in := input{Field: fl, Path: path, Value: values.Get(path), Unit: values.Get(path + UnitSuffix)}
	in.Ticked = in.Value != ""
	for _, o := range fl.Options {
		shown := TickedOption{Value: o.Value, Label: o.Label, Path: path + "." + o.Value}
		switch fl.Kind {
		case KindMany:
			shown.Ticked = slices.Contains(values[path], o.Value)
		case KindOrdered:
			shown.Number = values.Get(shown.Path)
		case KindTicked:
			shown.Number = values.Get(shown.Path)
			if shown.Ticked = shown.Number != ""; !shown.Ticked {
				shown.Number = afterAll
			}
		default:
			shown.Ticked = in.Value == o.Value
		}
		in.Options = append(in.Options, shown)
	}
	if fl.Kind != KindRows {
		return in
	}
	in.Ticked = values.Get(path+ownPart) != ""
	numbers, next := rowNumbers(path, values), 0
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	for range min(blankRows, max(fl.Max-len(numbers), 0)) {
		numbers = append(numbers, next)
		next++
	}
	for _, i := range numbers {
		var row []input
		for _, sub := range fl.Fields {
			row = append(row, inputOf(sub, RowPath(path, i, sub.Name), values))
		}
		in.Rows = append(in.Rows, row)
	}
	return in
}

// Values returns what stands in the fields of a form for something as the API shows it.
func (f Form) Values(shown any) (url.Values, error) {
	raw, err := json.Marshal(shown)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var d Document
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	values := url.Values{}
	for _, g := range f.Groups {
		for _, fl := range g.Fields {
			f.write(fl, fl.Name, At(d, fl.Name), values)
		}
	}
	return values, nil
}

// write puts a value of the API into the fields of a form.
func (f Form) write(fl Field, path string, value any, to url.Values) {
	if value == nil {
		return
	}
	list, _ := value.([]any)
	text := fmt.Sprint(value)
	switch fl.Kind {
	case KindCheck:
		if value == true {
			to.Set(path, "1")
		}
	case KindNumber:
		if text != "0" || fl.Zero {
			to.Set(path, text)
		}
	case KindSpan:
		if n, err := strconv.Atoi(text); err == nil && (n != 0 || fl.Zero) {
			writeSpan(path, n, to)
		}
	case KindMoney:
		if minor, err := strconv.ParseInt(text, 10, 64); err == nil {
			to.Set(path, Amount(minor, f.currency))
		}
	case KindMoment:
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			to.Set(path, t.In(f.loc).Format(MomentFormat))
		}
	case KindMany:
		for _, item := range list {
			to.Add(path, fmt.Sprint(item))
		}
	case KindOrdered, KindTicked:
		for i, item := range list {
			to.Set(path+"."+fmt.Sprint(item), strconv.Itoa(i+1))
		}
	case KindList:
		to.Set(path, joined(list, "\n"))
	case KindClocks, KindDates:
		to.Set(path, joined(list, ", "))
	case KindYearDay:
		if len(text) == len("06-01") {
			text = inSomeYear(text)
			to.Set(fieldBeside(path, yearlyField), "1")
		}
		to.Set(path, text)
	case KindRows:
		to.Set(path+ownPart, "1")
		for i, item := range list {
			row, _ := item.(Document)
			for _, sub := range fl.Fields {
				f.write(sub, RowPath(path, i, sub.Name), At(row, sub.Name), to)
			}
		}
	case KindJSON:
		if raw, err := json.Marshal(value); err == nil {
			to.Set(path, Indented(raw))
		}
	default:
		to.Set(path, text)
	}
}

// joined returns the items of a list as one text.
func joined(list []any, separator string) string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, separator)
}

// writeSpan writes minutes in the largest unit in which they are a whole number.
func writeSpan(path string, minutes int, to url.Values) {
	for _, u := range spanUnits {
		if minutes%u.minutes == 0 && (minutes != 0 || u.minutes == 1) {
			to.Set(path, strconv.Itoa(minutes/u.minutes))
			to.Set(path+UnitSuffix, u.name)
			return
		}
	}
}

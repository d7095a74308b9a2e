package hostile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// object is a JSON object.
type object = map[string]any

// raw is JSON text that need not be valid.
type raw string

// draw makes choices that depend on its seed only.
type draw struct{ *rand.Rand }

// oneIn is true once in n times.
func (d draw) oneIn(n int) bool { return d.IntN(n) == 0 }

// between draws a number from low to high.
func (d draw) between(low, high int) int { return low + d.IntN(high-low+1) }

// uuid draws an id that nothing has.
func (d draw) uuid() uuid.UUID {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(d.IntN(256))
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

func pick[T any](d draw, list []T) T { return list[d.IntN(len(list))] }

// oddities are values that have broken parsers, databases and calendars.
var oddities = []any{
	nil, true, "", " ", "\t", "\n", "x", "null", "\x00", "\x01", "a\x7fb", "\u2028", "\u202e", "\U0010ffff", "\ufeff",
	"İ@example.com",
	"a@b@c",
	"%s%n", "'; --", "Ada\r\nBcc: x@example.com", raw("\"\xff\""), raw(`"\ud800"`), raw(`"\u0000"`),
	strings.Repeat("x", 10_000),
	strings.Repeat("é", 200), strings.Repeat(" ", 20),
	"0000-00-00", "0000-01-01", "1899-12-31", "9999-12-31", "2027-02-29", "2028-02-29", "infinity", "-infinity",
	"2027-7-1", "20270701",
	"2027-03-28T02:30:00+01:00", "2027-10-31T02:30:00+02:00", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59",
	"2027-07-01T10:00:00+24:00", "2027-06-30T23:59:60Z", "2027-07-01T24:00:00Z", "2027-07-01t10:00:00z",
	"2027-07-01 10:00:00Z",
	"24:00", "24:01", "00:00", "23:59", "Local", "UTC", "Etc/GMT+12", "right/Europe/Berlin", "posix/UTC", "localtime",
	"Factory",
	"../etc/passwd", "europe/berlin", "XXX", "XTS", "eur", "{01890a5d-ac96-774b-bcce-b302099a8057}",
	"urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057", "01890a5dac96774bbcceb302099a8057",
	-1, 0, 1, 1<<31 - 1, 1 << 31, -1 << 31, 1 << 53, 1<<53 + 1, raw("9223372036854775807"), raw("9223372036854775808"),
	raw("-0"),
	raw("1.0"),
	raw("1e2"), raw("1e-400000"), raw("1e400"), raw("0.1"), raw("01"), raw("+1"), raw("NaN"), raw("1e999999999"),
	raw("0x10"), raw("."),
	[]any{}, []any{nil}, []any{[]any{}}, object{}, object{"": ""}, object{"a": object{"a": object{}}},
	raw(`{"a":1,"a":2}`),
}

// encode writes a value as JSON. Raw text is written as it is.
func encode(b *strings.Builder, v any) {
	switch v := v.(type) {
	case raw:
		b.WriteString(string(v))
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, item)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, name)
			b.WriteByte(':')
			encode(b, v[name])
		}
		b.WriteByte('}')
	default:
		text, _ := json.Marshal(v) // texts and numbers always encode
		b.Write(text)
	}
}

func encoded(v any) string {
	var b strings.Builder
	encode(&b, v)
	return b.String()
}

// damaged returns a body's text with one or two of its values changed, removed or added.
func (d draw) damaged(body object) string {
	for range d.between(1, 2) {
		places := d.places(body)
		if len(places) == 0 {
			break
		}
		p := pick(d, places)
		switch d.IntN(6) {
		case 0:
			delete(p.in, p.name)
		case 1:
			p.in[p.name] = []any{p.in[p.name]}
		case 2:
			other := pick(d, places)
			p.in[p.name] = raw(encoded(other.in[other.name])) // a copy: an object in itself has no end
		case 3:
			p.in[pick(d, []string{"x", "", "__proto__", "id", strings.ToUpper(p.name), p.name + " "})] = 1
		default:
			p.in[p.name] = raw(encoded(pick(d, oddities))) // a copy as well: others draw from the list too
		}
	}
	return d.damagedText(encoded(body))
}

// place is a field of an object.
type place struct {
	in   object
	name string
}

// places lists the fields of an object and of those inside.
func (d draw) places(v any) (list []place) {
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(append(list, place{v, name}), d.places(v[name])...)
		}
	case []any:
		for _, item := range v {
			list = append(list, d.places(item)...)
		}
	}
	return list
}

// damagedText damages the text of a body one time in four.
func (d draw) damagedText(text string) string {
	if text == "" {
		return text
	}
	at := d.IntN(len(text))
	switch d.IntN(40) {
	case 0:
		return text[:at]
	case 1:
		return text[:at] + string([]byte{byte(d.IntN(256))}) + text[at+1:]
	case 2:
		return text[:at] + text[min(len(text), at+d.between(1, 10)):]
	case 3:
		return text[:at] + text[at:min(len(text), at+d.between(1, 40))] + text[at:]
	case 4:
		return text + text
	case 5:
		return "\xef\xbb\xbf" + text
	case 6: // the first field twice
		if end := strings.IndexAny(text, ":"); end > 0 {
			return text[:1] + text[1:end] + ":null," + text[1:]
		}
	case 7:
		return strings.Repeat(" ", d.between(0, 80<<10)) + text
	case 8:
		depth := d.between(20, 2000)
		return fmt.Sprintf(`{"metadata":%s1%s,%s`, strings.Repeat(`{"a":`, depth), strings.Repeat("}", depth), text[1:])
	case 9:
		return pick(d, []string{"", "null", "[]", "7", `""`, "{", "}", "\x00", "{}{}", "[" + text + "]"})
	}
	return text
}

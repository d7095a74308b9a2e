package refused

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"holdfast/internal/problem"
)

// Fill returns a page with the form as it was sent. Before its fields stands why it was refused, which is HTML, and
// beside each field what is wrong with it. A page that hasn't the form any more says why at its beginning.
func (f *Form) Fill(page, why []byte) ([]byte, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, err
	}
	place := find(root, func(n *html.Node) bool { return n.DataAtom == atom.Form && f.isSentBy(n) })
	if place != nil {
		for n := range place.Descendants() {
			f.fill(n)
		}
		for i, wrong := range f.Problem.Errors {
			tell(place, "wrong-"+strconv.Itoa(i), wrong)
		}
	} else if place = find(root, func(n *html.Node) bool { return n.DataAtom == atom.Main }); place == nil {
		place = root
	}
	said, err := html.ParseFragment(bytes.NewReader(why),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(said) {
		place.InsertBefore(n, place.FirstChild)
	}
	var b bytes.Buffer
	err = html.Render(&b, root)
	return b.Bytes(), err
}

// isSentBy reports whether a form of the page is the one that was refused.
func (f *Form) isSentBy(n *html.Node) bool {
	action, err := url.Parse(attribute(n, "action"))
	return err == nil && attribute(n, "method") == "post" && action.Path == f.Path
}

// Hidden fields that are filled in as well. Others are those of the page: what it shows may have changed since.
const (
	fieldBack    = "back"
	fieldVersion = "version"
)

// fill puts what was typed into a field. The version stays that which the person saw, so that nobody's change is lost,
// unless the person is told that there was one.
func (f *Form) fill(n *html.Node) {
	name, values := attribute(n, "name"), f.Values
	switch n.DataAtom {
	case atom.Input:
		switch attribute(n, "type") {
		case "hidden":
			stays := name == fieldBack || name == fieldVersion && f.Problem.Code != problem.VersionMismatch
			if list, sent := values[name]; sent && stays {
				set(n, "value", list[0])
			}
		case "file", "password":
		case "checkbox", "radio":
			mark(n, "checked", slices.Contains(values[name], attribute(n, "value")))
		default:
			if list, sent := values[name]; sent {
				set(n, "value", list[0])
			}
		}
	case atom.Textarea:
		if list, sent := values[name]; sent {
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
			n.AppendChild(&html.Node{Type: html.TextNode, Data: list[0]})
		}
	case atom.Option:
		if list, sent := values[attribute(n.Parent, "name")]; sent {
			mark(n, "selected", slices.Contains(list, attribute(n, "value")))
		}
	default: // no other element is a field
	}
}

// tell says beside a field of a form what is wrong with it. The refusal has the name of the field, or its label, or the
// place in its list. Of a field that the form hasn't, or that says what is wrong already, it says nothing.
func tell(form *html.Node, id string, wrong problem.Field) {
	list, _, _ := strings.Cut(wrong.Name, "[")
	field := find(form, func(n *html.Node) bool {
		name := attribute(n, "name")
		return isField(n) && (name == wrong.Name || name == list || labelOf(n) == wrong.Name)
	})
	if field == nil || attribute(field, "aria-invalid") != "" {
		return
	}
	set(field, "aria-invalid", "true")
	set(field, "aria-describedby", id)
	said := &html.Node{Type: html.ElementNode, Data: "small", DataAtom: atom.Small}
	set(said, "id", id)
	set(said, "class", "wrong")
	said.AppendChild(&html.Node{Type: html.TextNode, Data: wrong.Detail})
	if label := above(field, atom.Label); label != nil {
		label.AppendChild(said)
	} else {
		field.Parent.InsertBefore(said, field.NextSibling)
	}
	if folded := above(field, atom.Details); folded != nil {
		mark(folded, "open", true)
	}
}

func isField(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Input:
		return attribute(n, "type") != "hidden"
	case atom.Select, atom.Textarea:
		return true
	default:
		return false
	}
}

// labelOf returns the text of a field's label, without its help; empty without one.
func labelOf(field *html.Node) string {
	label := above(field, atom.Label)
	if label == nil {
		return ""
	}
	span := find(label, func(n *html.Node) bool { return n.DataAtom == atom.Span })
	if span == nil || span.FirstChild == nil {
		return ""
	}
	return strings.TrimSpace(span.FirstChild.Data)
}

// above returns the nearest element of a kind that an element is in, nil if there is none.
func above(n *html.Node, kind atom.Atom) *html.Node {
	for a := range n.Ancestors() {
		if a.DataAtom == kind {
			return a
		}
	}
	return nil
}

// find returns the first element that is wanted, nil if there is none.
func find(root *html.Node, wanted func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && wanted(n) {
			return n
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// set gives an element an attribute.
func set(n *html.Node, name, value string) {
	mark(n, name, false)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

// mark gives an element an attribute without a value, or takes it.
func mark(n *html.Node, name string, on bool) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if on {
		n.Attr = append(n.Attr, html.Attribute{Key: name})
	}
}

package refused

import (
	"bytes"
	"net/url"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"holdfast/internal/problem"
)

// Fill returns a page with the form as it was sent, and before its fields why it was refused, in HTML. A page that
// hasn't the form any more says why at its beginning.
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

package guides

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// relink makes links to files of the repository links to pages. A link to what has no page, such as ../CONTRIBUTING.md,
// becomes text.
func relink(root ast.Node, dir string, pages map[string][]byte) error {
	var without []ast.Node
	err := ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Link:
			if !entering {
				break
			}
			destination, ok := destinationOf(string(n.Destination), dir, pages)
			if !ok {
				without = append(without, n)
			}
			n.Destination = []byte(destination)
		case *ast.Image: // pages load nothing
			if entering {
				without = append(without, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return fmt.Errorf("change the links of a page: %w", err)
	}
	for _, node := range without {
		parent := node.Parent()
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			parent.InsertBefore(parent, node, child)
		}
		parent.RemoveChild(parent, node)
	}
	return nil
}

// destinationOf returns where a link of a page in dir leads, and false if nothing is there.
func destinationOf(destination, dir string, pages map[string][]byte) (string, bool) {
	file, anchor, _ := strings.Cut(destination, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	switch {
	case file == "" || strings.Contains(file, "://") || strings.HasPrefix(file, "/"):
		return destination, true
	case path.Base(file) == "openapi.json":
		return "/openapi.json", true
	}
	name := path.Join(dir, file)
	if name == "adr" {
		return base + "#decisions", true
	}
	if _, ok := pages[name]; !ok {
		return "", false
	}
	return pathOf(name) + anchor, true
}

func sortedNames(sources map[string][]byte) []string { return slices.Sorted(maps.Keys(sources)) }

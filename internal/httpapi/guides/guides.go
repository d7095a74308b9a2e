package guides

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var frame string

// style is the style sheet of the pages. They load it from stylePath.
//
//go:embed style.css
var style []byte

// Paths of what the pages link to beside each other.
const (
	base          = "/docs"
	stylePath     = base + "/guides.css"
	referencePath = base + "/reference"
)

// index is the page at base. Its table is the navigation.
const index = "README.md"

// renderAll makes a page of every Markdown file of a tree, and returns them by their path, such as /docs/calling.
// bodies are the bodies of pages, in HTML, that are made elsewhere, by the name of the file that they stand for.
func renderAll(docs fs.FS, bodies map[string]template.HTML) (map[string][]byte, error) {
	names, err := markdownFiles(docs)
	if err != nil {
		return nil, err
	}
	sources := make(map[string][]byte, len(names))
	for _, name := range names {
		if sources[name], err = fs.ReadFile(docs, name); err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
	}
	layout, err := template.New("page").Parse(frame)
	if err != nil {
		return nil, fmt.Errorf("parse the frame of pages: %w", err)
	}
	nav := navigation(sources)
	pages := make(map[string][]byte, len(names))
	for name, source := range sources {
		body, made := bodies[name]
		if !made {
			if body, err = render(name, source, sources); err != nil {
				return nil, err
			}
		}
		var page bytes.Buffer
		err := layout.Execute(&page, map[string]any{
			"Title": title(source), "Body": body, "Nav": nav, "Path": pathOf(name), "Base": base, "Style": stylePath,
			"Reference": referencePath,
		})
		if err != nil {
			return nil, fmt.Errorf("make the page of %s: %w", name, err)
		}
		pages[pathOf(name)] = page.Bytes()
	}
	return pages, nil
}

func markdownFiles(docs fs.FS) (names []string, err error) {
	err = fs.WalkDir(docs, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the pages: %w", err)
	}
	return names, nil
}

// pathOf returns the path of a file's page.
func pathOf(name string) string {
	if name == index {
		return base
	}
	return base + "/" + strings.TrimSuffix(name, ".md")
}

// render returns a file as HTML. HTML in the file is left out.
func render(name string, source []byte, pages map[string][]byte) (template.HTML, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithXHTML()),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	root := markdown.Parser().Parse(text.NewReader(source),
		parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	if err := relink(root, path.Dir(name), pages); err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return template.HTML(b.String()), nil //nolint:gosec // the pages are ours, and goldmark leaves their HTML out
}

// anchors gives headings the anchors that they have on GitHub, for which the pages are written.
type anchors struct{ taken map[string]int }

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// Generate returns the anchor of a heading.
func (a *anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	name := strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(string(heading))), ""),
		" ", "-")
	if a.taken == nil {
		a.taken = make(map[string]int)
	}
	a.taken[name]++
	if n := a.taken[name]; n > 1 {
		name = fmt.Sprintf("%s-%d", name, n-1)
	}
	return []byte(name)
}

// Put notes an anchor that a heading has by itself.
func (a *anchors) Put(name []byte) { _ = a.Generate(name, ast.KindHeading) }

// title returns the heading of a page.
func title(source []byte) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return strings.ReplaceAll(first, "`", "")
}

// group is a part of the navigation.
type group struct {
	Name  string
	Links []link
}

type link struct{ Path, Title string }

var (
	rowOfIndex  = regexp.MustCompile(`(?m)^\| ([^|]+) \| (.+) \|$`)
	pageOfIndex = regexp.MustCompile(`\]\(([a-z-]+\.md)`)
)

// navigation returns the pages in the order in which the index lists them, each once, under what they are for. Other pages come last; the
// index links to the decisions.
func navigation(sources map[string][]byte) (nav []group) {
	listed := map[string]bool{index: true}
	add := func(to *group, name string) {
		if source, ok := sources[name]; ok && !listed[name] {
			listed[name] = true
			to.Links = append(to.Links, link{pathOf(name), title(source)})
		}
	}
	for _, row := range rowOfIndex.FindAllStringSubmatch(string(sources[index]), -1) {
		g := group{Name: strings.ToUpper(row[1][:1]) + row[1][1:]}
		for _, page := range pageOfIndex.FindAllStringSubmatch(row[2], -1) {
			add(&g, page[1])
		}
		if len(g.Links) > 0 {
			nav = append(nav, g)
		}
	}
	more := group{Name: "More"}
	for _, name := range sortedNames(sources) {
		if !strings.Contains(name, "/") {
			add(&more, name)
		}
	}
	if len(more.Links) > 0 {
		nav = append(nav, more)
	}
	return nav
}

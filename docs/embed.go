// Package docs carries those documents that the binary shows, so that what it says is what is written there.
package docs

import (
	"embed"
	"strings"
)

// Pages has every page, for people who read the documentation on their server.
//
//go:embed *.md adr/*.md
var Pages embed.FS

// LockRegistry is docs/locks-registry.md.
//
//go:embed locks-registry.md
var LockRegistry string

// Errors is docs/errors.md.
//
//go:embed errors.md
var Errors string

// Table returns the rows of cells of the table of a Markdown document whose first line begins with header. That line is
// the first row. There are none if the document has no such table.
func Table(document, header string) (rows [][]string) {
	_, table, _ := strings.Cut(document, "\n"+header)
	for i, line := range strings.Split(header+table, "\n") {
		switch {
		case !strings.HasPrefix(line, "|"):
			return rows
		case i != 1: // the line under the header
			rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return rows
}

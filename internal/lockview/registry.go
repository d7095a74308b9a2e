package lockview

import (
	"strings"

	"holdfast/docs"
)

// Cell is one column of the lock registry with what it says of a lock.
type Cell struct {
	Column, Text string
}

// RegistryRow returns the row of docs/locks-registry.md for a pattern such as {tenant}:{date}, or for the label of a
// lock whose key is no hash; none if there is no such row.
func RegistryRow(pattern string) []Cell {
	var columns []string
	for line := range strings.Lines(docs.LockRegistry) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.Trim(strings.ReplaceAll(cells[i], "`", ""), " ")
		}
		switch {
		case strings.HasPrefix(line, "| name | key |"):
			columns = cells
		case columns == nil:
		case !strings.HasPrefix(line, "|"):
			return nil // the table of locks has ended
		case cells[0] == pattern && len(cells) == len(columns):
			row := make([]Cell, len(cells))
			for i, text := range cells {
				row[i] = Cell{Column: columns[i], Text: text}
			}
			return row
		}
	}
	return nil
}

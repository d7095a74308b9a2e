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
	table := docs.Table(docs.LockRegistry, "| name | key |")
	for _, cells := range table {
		if strings.Trim(cells[0], "`") != pattern || len(cells) != len(table[0]) {
			continue
		}
		row := make([]Cell, len(cells))
		for i, text := range cells {
			row[i] = Cell{Column: table[0][i], Text: strings.ReplaceAll(text, "`", "")}
		}
		return row
	}
	return nil
}

package registry

import (
	"slices"
	"strings"
)

// row is a row of a table, its cells by column.
type row struct {
	line  int
	cells map[string]string
}

// table returns the rows of the first table whose first columns are the given ones, nil if there is none. Every cell
// must be filled in, so that nothing is left out by accident.
func (r *Registry) table(columns ...string) []row {
	lines := strings.Split(string(r.Text), "\n")
	start := slices.IndexFunc(lines, func(line string) bool {
		cells := cellsOf(line)
		return len(cells) >= len(columns) && slices.Equal(cells[:len(columns)], columns)
	})
	if start < 0 {
		return nil
	}
	header := cellsOf(lines[start])
	rows := []row{}
	for i := start + 2; i < len(lines); i++ {
		cells := cellsOf(lines[i])
		if cells == nil {
			break
		}
		if len(cells) != len(header) {
			r.complain(i+1, "registry", "the row has %d cells and the table %d columns: fill in what is missing, and write | in a cell as \\|",
				len(cells), len(header))
			continue
		}
		byColumn := make(map[string]string, len(header))
		for c, column := range header {
			if cells[c] == "" {
				r.complain(i+1, "registry", "the cell %q is empty: fill it in, or write %s where there is nothing to say", column, none)
			}
			byColumn[column] = cells[c]
		}
		rows = append(rows, row{line: i + 1, cells: byColumn})
	}
	return rows
}

// cellsOf splits a line of a table, and returns nil for any other line.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") || len(line) < 2 {
		return nil
	}
	const escaped = "\x00"
	line = strings.ReplaceAll(line[1:len(line)-1], `\|`, escaped)
	cells := strings.Split(line, "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, escaped, "|"))
	}
	return cells
}

// code returns what stands between the backquotes of a cell.
func (r *Registry) code(row row, column string) string {
	text, ok := unquoted(row.cells[column])
	if !ok && row.cells[column] != "" {
		r.complain(row.line, "registry", "put the cell %q in backquotes", column)
	}
	return text
}

func unquoted(cell string) (string, bool) {
	if len(cell) < 3 || cell[0] != '`' || cell[len(cell)-1] != '`' {
		return cell, false
	}
	return cell[1 : len(cell)-1], true
}

// ref reads a reference in backquotes.
func (r *Registry) ref(row row, cell string) (Ref, bool) {
	text, ok := unquoted(strings.TrimSpace(cell))
	file, name, found := strings.Cut(text, ":")
	if !ok || !found || file == "" || name == "" {
		r.complain(row.line, "reference", "%q is no reference: write `file:name`, with the file's path from the module's root", cell)
		return Ref{}, false
	}
	return Ref{File: file, Name: name, Line: row.line}, true
}

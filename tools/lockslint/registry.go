package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	// registryPath is the registry's path from the module's root.
	registryPath = "docs/locks-registry.md"
	// hashed is the key of a lock that is the hash of the lock's name.
	hashed = "fnv1a64(name)"
	// random is the key of a lock that has another one each time.
	random = "random"
	// reserved says that nobody takes a lock yet.
	reserved = "reserved"
	// mentioned is the kind of a text that names a lock function and calls none.
	mentioned = "mention"
	// none stands where there is nothing to say.
	none = "–"
)

var (
	lockKind      = regexp.MustCompile(`^(transaction|session|transaction, then session)(, try|, wait or try)?$`)
	statementKind = regexp.MustCompile(`^(transaction|session|release|mention)$`)
	part          = regexp.MustCompile(`\{[^{}]*\}`)
	// shapes are what may stand for a part of a name.
	shapes = map[string]string{
		"uuid": `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
		"date": `[0-9]{4}-[0-9]{2}-[0-9]{2}`,
	}
)

// ref names what is declared in a file, as the registry writes it: `file:name`, `file:Type.method`, or `file:query` in
// SQL.
type ref struct{ file, name string }

// String writes the reference as the registry does.
func (r ref) String() string { return r.file + ":" + r.name }

// registry is what the tables of the page say.
type registry struct {
	locks      []lockRow
	parts      map[string]string // from {part} to the regular expression of its shape
	examples   []exampleRow
	statements []statementRow
	libraries  []libraryRow
}

// lockRow is a lock.
type lockRow struct {
	line        int
	name        string
	key         string
	number      int64 // of a key that is neither hashed nor random
	constructor ref   // zero if there is none
	takers      []ref
}

// numbered reports whether the key is a fixed number.
func (l lockRow) numbered() bool { return l.key != hashed && l.key != random }

// exampleRow is a name of a constructor's, with its hash in two spellings.
type exampleRow struct {
	line                            int
	constructor, name, hash, bigint string
}

// statementRow is a statement, or a text in Go code, that names a lock function.
type statementRow struct {
	line     int
	ref      ref
	function string
	kind     string
	callers  []ref
}

// libraryRow is a module of others that takes a lock.
type libraryRow struct {
	line         int
	module, lock string
}

// names returns the regular expression of the names that a pattern such as {tenant}:{date} describes.
func (r registry) names(pattern string) *regexp.Regexp {
	var re strings.Builder
	end := 0
	for _, at := range part.FindAllStringIndex(pattern, -1) {
		re.WriteString(regexp.QuoteMeta(pattern[end:at[0]]) + r.parts[pattern[at[0]:at[1]]])
		end = at[1]
	}
	return regexp.MustCompile("^" + re.String() + regexp.QuoteMeta(pattern[end:]) + "$")
}

// parseRegistry reads the tables of the page, and returns what can't be read. Each table is found by its first columns;
// further columns are free.
func parseRegistry(text string) (registry, []finding) {
	p := reader{lines: strings.Split(text, "\n"), findings: &findings{}}
	r := registry{parts: map[string]string{}}
	for _, row := range p.table("name", "key", "scope", "kind", "constructor", "taken by") {
		r.locks = append(r.locks, p.lock(row))
	}
	for _, row := range p.table("part", "shape") {
		shape, known := shapes[row.cells[1]]
		if !known {
			p.row(row.line, "the shape %q isn't known: write uuid or date, or teach lockslint another one",
				row.cells[1])
		}
		r.parts[p.code(row, row.cells[0])] = shape
	}
	for _, row := range p.table("constructor", "name", "fnv1a64", "bigint") {
		r.examples = append(r.examples, exampleRow{row.line, p.code(row, row.cells[0]), p.code(row, row.cells[1]),
			p.code(row, row.cells[2]), p.code(row, row.cells[3])})
	}
	for _, row := range p.table("statement", "function", "kind", "called by") {
		s := statementRow{line: row.line, ref: p.ref(row, row.cells[0]), function: p.code(row, row.cells[1]),
			kind: row.cells[2]}
		if !statementKind.MatchString(s.kind) {
			p.row(row.line, "the kind %q isn't known: write transaction, session, release or mention", s.kind)
		}
		s.callers = p.refs(row, row.cells[3], none)
		r.statements = append(r.statements, s)
	}
	for _, row := range p.table("module", "lock") {
		l := libraryRow{line: row.line, module: p.code(row, row.cells[0])}
		if row.cells[1] != none {
			l.lock = p.code(row, row.cells[1])
		}
		r.libraries = append(r.libraries, l)
	}
	return r, p.sorted()
}

// reader reads the page line by line.
type reader struct {
	*findings
	lines []string
}

// tableRow is a row of a table, with the cells of all columns.
type tableRow struct {
	line  int
	cells []string
}

// table returns the rows of the table with the given first columns.
func (p reader) table(columns ...string) []tableRow {
	start := slices.IndexFunc(p.lines, func(line string) bool {
		cells := cellsOf(line)
		return len(cells) >= len(columns) && slices.Equal(cells[:len(columns)], columns)
	})
	if start < 0 {
		p.row(1, "there is no table with the columns %s: write it", strings.Join(columns, ", "))
		return nil
	}
	width := len(cellsOf(p.lines[start]))
	var rows []tableRow
	for i := start + 2; i < len(p.lines); i++ {
		cells := cellsOf(p.lines[i])
		switch {
		case cells == nil:
			return rows
		case len(cells) != width:
			p.row(i+1, "the row has %d cells and its header %d: write as many", len(cells), width)
		case slices.Contains(cells, ""):
			p.row(i+1, "a cell is empty: fill it in, or write %s where there is nothing to say", none)
		default:
			rows = append(rows, tableRow{i + 1, cells})
		}
	}
	return rows
}

// cellsOf splits a line of a table. It returns nil for any other line.
func cellsOf(line string) []string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	inner, closed := strings.CutSuffix(inner, "|")
	if !ok || !closed {
		return nil
	}
	cells := strings.Split(inner, "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// lock reads a row of the table of locks.
func (p reader) lock(row tableRow) lockRow {
	l := lockRow{line: row.line, name: p.code(row, row.cells[0]), key: p.code(row, row.cells[1])}
	if l.numbered() {
		n, err := strconv.ParseInt(l.key, 10, 64)
		if err != nil {
			p.row(row.line, "the key %q isn't known: write a number, %s or %s", l.key, hashed, random)
		}
		l.number = n
	}
	if kind := row.cells[3]; !lockKind.MatchString(kind) {
		p.row(row.line, `the kind %q isn't known: write transaction or session, and after a comma "try" or "wait or try"`, kind)
	}
	if row.cells[4] != none {
		l.constructor = p.ref(row, row.cells[4])
	}
	l.takers = p.refs(row, row.cells[5], reserved)
	return l
}

// refs reads references with commas in between, or the word that stands for none.
func (p reader) refs(row tableRow, cell, absent string) []ref {
	if cell == absent {
		return nil
	}
	var all []ref
	for item := range strings.SplitSeq(cell, ",") {
		all = append(all, p.ref(row, strings.TrimSpace(item)))
	}
	return all
}

// ref reads a reference.
func (p reader) ref(row tableRow, cell string) ref {
	file, name, ok := strings.Cut(p.code(row, cell), ":")
	if !ok {
		p.row(row.line, "%s is no reference: write `file:name`, with the file's path from the module's root", cell)
	}
	return ref{file, name}
}

// code reads what stands in backquotes.
func (p reader) code(row tableRow, cell string) string {
	inner, opened := strings.CutPrefix(cell, "`")
	inner, closed := strings.CutSuffix(inner, "`")
	if !opened || !closed {
		p.row(row.line, "put %s in backquotes", cell)
	}
	return inner
}

// Package registry reads a lock registry: the Markdown page whose tables list every advisory lock of a Go module.
//
// Tables are found by their first columns; a page may hold other tables and any text around them:
//
//	| name | key | scope | kind | constructor | taken by | …   the locks; every other column must be filled in
//	| part | shape | …                                         what may stand for the {parts} of names
//	| statement | function | kind | …                          the only places that may name the lock functions
//	| module | lock | …                                        modules of others that take locks
//
// It imports nothing of the module that it reads.
package registry

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Registry is a page as it was read.
type Registry struct {
	// File is the page's path, and Text its bytes.
	File string
	Text []byte

	Locks        []Lock
	Parts        []Part
	Statements   []Statement
	ThirdParties []ThirdParty

	unread []Finding // what was wrong with the tables themselves
}

// Finding is something that is wrong with a line of the registry, with what to do about it.
type Finding struct {
	Line    int
	Rule    string
	Message string
}

// Lock is a row of the table of locks.
type Lock struct {
	Line  int
	Name  string // a pattern such as {tenant}:{date}, or a label where the key is a number
	Key   string
	Scope string
	Kind  Kind
	// Constructor is nil where the key has none, for instance because it is random.
	Constructor *Ref
	// Takers is empty for a reserved lock, which nobody takes yet.
	Takers []Ref
}

// Reserved reports whether nobody takes the lock yet.
func (l *Lock) Reserved() bool { return len(l.Takers) == 0 }

// Number returns the fixed number that is the lock's key, and false if it has none.
func (l *Lock) Number() (int64, bool) {
	n, err := strconv.ParseInt(l.Key, 10, 64)
	return n, err == nil
}

// Hash returns the hash of the name that is the lock's key, such as fnv1a64, and false if it is none.
func (l *Lock) Hash() (string, bool) { return strings.CutSuffix(l.Key, "(name)") }

// Kind says how a lock is held.
type Kind struct {
	Transaction bool // until the transaction ends
	Session     bool // until it is let go of, or the session ends
	Try         bool // taken without waiting
	Wait        bool // waited for; a kind that doesn't say try says so
}

// Empty reports whether no lock is held at all.
func (k Kind) Empty() bool { return k == Kind{} }

// Or returns what either of the two kinds is.
func (k Kind) Or(o Kind) Kind {
	return Kind{k.Transaction || o.Transaction, k.Session || o.Session, k.Try || o.Try, k.Wait || o.Wait}
}

// Allows reports whether a row of this kind may stand for what code reaches. Code that can do both, by what it is asked to,
// may wait or try.
func (k Kind) Allows(code Kind) bool {
	return k.Transaction == code.Transaction && k.Session == code.Session && (k.Try && code.Try || k.Wait && code.Wait)
}

// String writes the kind as the registry does.
func (k Kind) String() string {
	var words []string
	if k.Transaction {
		words = append(words, "transaction")
	}
	if k.Session {
		words = append(words, "session")
	}
	switch {
	case k.Try && k.Wait:
		words = append(words, "wait or try")
	case k.Try:
		words = append(words, "try")
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// Part is a row of the table of parts: what may stand for {part} in a name.
type Part struct {
	Line  int
	Name  string
	Shape string // a regular expression
}

// Statement is a row of the table of statements.
type Statement struct {
	Line int
	// Ref names an sqlc query by its file and name, or a string in Go by the function, constant or variable that
	// it stands in.
	Ref Ref
	// Function is the lock function without its schema.
	Function string
	// Kind is "transaction", "session", "release", or "mention" for text that is not SQL.
	Kind string
}

// ThirdParty is a row of the table of other people's modules.
type ThirdParty struct {
	Line   int
	Module string
	// Lock is the name of the lock's row; empty when the module takes none here.
	Lock string
}

// Ref is a reference such as internal/lock/calendar.go:Calendar; methods are Type.Method.
type Ref struct {
	File, Name string
	Line       int
}

// String writes the reference as the registry does.
func (r Ref) String() string { return r.File + ":" + r.Name }

// Same reports whether two references name the same thing.
func (r Ref) Same(o Ref) bool { return r.File == o.File && r.Name == o.Name }

const (
	none     = "–"
	reserved = "reserved"
	allOfIt  = "the whole database"
)

// Read reads the registry in file. What is wrong with its tables is among the findings of Check; the error is that
// of reading the file.
func Read(file string) (*Registry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Registry{File: file, Text: text}
	rows := r.table("name", "key", "scope", "kind", "constructor", "taken by")
	if rows == nil {
		r.complain(1, "registry", "there is no table of locks: start one with the columns name, key, scope, kind, constructor, taken by")
	}
	for _, row := range rows {
		r.Locks = append(r.Locks, Lock{
			Line: row.line, Name: r.code(row, "name"), Key: r.code(row, "key"), Scope: row.cells["scope"],
			Kind: r.kind(row), Constructor: r.constructor(row), Takers: r.takers(row),
		})
	}
	for _, row := range r.table("part", "shape") {
		r.Parts = append(r.Parts, Part{Line: row.line, Name: strings.Trim(r.code(row, "part"), "{}"), Shape: r.shape(row)})
	}
	for _, row := range r.table("statement", "function", "kind") {
		s := Statement{Line: row.line, Function: r.code(row, "function"), Kind: row.cells["kind"]}
		if ref, ok := r.ref(row, row.cells["statement"]); ok {
			s.Ref = ref
		}
		if !slices.Contains([]string{"transaction", "session", "release", "mention"}, s.Kind) {
			r.complain(row.line, "kind", "%q is no kind of statement: write transaction, session, release, or mention for text that isn't SQL", s.Kind)
		}
		r.Statements = append(r.Statements, s)
	}
	for _, row := range r.table("module", "lock") {
		t := ThirdParty{Line: row.line, Module: r.code(row, "module")}
		if row.cells["lock"] != none {
			t.Lock = r.code(row, "lock")
		}
		r.ThirdParties = append(r.ThirdParties, t)
	}
	return r, nil
}

// kind reads "transaction", "transaction, wait or try", "session, try" or "transaction, then session, try".
func (r *Registry) kind(row row) Kind {
	var k Kind
	for _, word := range strings.FieldsFunc(strings.NewReplacer("then ", "", "or ", "").Replace(row.cells["kind"]), func(c rune) bool { return c == ',' || c == ' ' }) {
		switch word {
		case "transaction":
			k.Transaction = true
		case "session":
			k.Session = true
		case "try":
			k.Try = true
		case "wait":
			k.Wait = true
		default:
			r.complain(row.line, "kind", "%q is no kind of lock: write transaction or session, and try if it doesn't wait, or wait or try", word)
		}
	}
	k.Wait = k.Wait || !k.Try
	if !k.Transaction && !k.Session {
		r.complain(row.line, "kind", "the kind says neither transaction nor session: say which")
	}
	return k
}

func (r *Registry) constructor(row row) *Ref {
	if row.cells["constructor"] == none {
		return nil
	}
	if ref, ok := r.ref(row, row.cells["constructor"]); ok {
		return &ref
	}
	return nil
}

func (r *Registry) takers(row row) []Ref {
	if row.cells["taken by"] == reserved {
		return nil
	}
	var refs []Ref
	for cell := range strings.SplitSeq(row.cells["taken by"], ", ") {
		if ref, ok := r.ref(row, cell); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

var shapes = map[string]string{
	"uuid":    `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
	"date":    `[0-9]{4}-[0-9]{2}-[0-9]{2}`,
	"integer": `-?[0-9]+`,
	"text":    `(?s:.*)`,
}

// shape turns the shape of a part into a regular expression.
func (r *Registry) shape(row row) string {
	cell := row.cells["shape"]
	if re, ok := shapes[cell]; ok {
		return re
	}
	re := r.code(row, "shape")
	// By itself, and as a part of a name's: \Q that nothing ends is one and not the other.
	for _, whole := range []string{re, "(?:" + re + ")"} {
		if _, err := regexp.Compile(whole); err != nil {
			r.complain(row.line, "pattern", "the shape is no regular expression: %v", err)
			return shapes["text"]
		}
	}
	return re
}

func (r *Registry) complain(line int, rule, format string, args ...any) {
	r.unread = append(r.unread, Finding{Line: line, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

// Lines returns the page's lines.
func (r *Registry) Lines() [][]byte { return bytes.Split(r.Text, []byte("\n")) }

// Package locksql finds PostgreSQL's advisory lock functions in SQL, and says whether a statement that takes a lock
// does nothing else.
package locksql

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Hole stands in a text for what isn't known of it, for instance an argument of Sprintf.
const Hole = '\x00'

// function matches the name of a lock function. A hole may stand for some of its letters.
var function = regexp.MustCompile(`(?i)pg_[a-z_\x00]*advisory[a-z_\x00]*`)

// Names returns the lock functions that a text names, in lower case and in order.
func Names(text string) []string {
	if !strings.Contains(strings.ToLower(text), "advisory") {
		return nil
	}
	names := function.FindAllString(text, -1)
	for i, n := range names {
		names[i] = strings.ToLower(strings.ReplaceAll(n, string(Hole), "*"))
	}
	return names
}

// Name is a lock function that a text names, and the line on which it first does, from 0.
type Name struct {
	Function string
	Line     int
}

// NamesOutsideComments returns each lock function that an SQL text names, once.
func NamesOutsideComments(text string) []Name {
	text = withoutComments(text)
	var names []Name
	for _, at := range function.FindAllStringIndex(text, -1) {
		name := strings.ToLower(text[at[0]:at[1]])
		if !slices.ContainsFunc(names, func(n Name) bool { return n.Function == name }) {
			names = append(names, Name{name, strings.Count(text[:at[0]], "\n")})
		}
	}
	return names
}

// Kind returns what a lock function does: "transaction", "session", or "release" for those that let go.
func Kind(name string) string {
	switch {
	case strings.Contains(name, "unlock"):
		return "release"
	case strings.Contains(name, "xact"):
		return "transaction"
	}
	return "session"
}

// Try reports whether a lock function doesn't wait.
func Try(name string) bool { return strings.HasPrefix(name, "pg_try") }

// Call is a statement that calls a lock function.
type Call struct {
	Function string
	// Line is the statement's first line in the text, from 0.
	Line int
	// Alone reports whether the statement calls one lock function and does nothing else.
	Alone bool
	// Keys are the numbers that stand in the SQL as keys.
	Keys []int64
	// Made reports whether the SQL makes the key itself, by a hash of its own for instance.
	Made bool
	// Pair reports whether the key is a pair of 32-bit integers, another space of keys.
	Pair bool
}

var (
	comment = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
	alone   = regexp.MustCompile(`(?is)^\s*(?:SELECT|PERFORM)\s+(?:pg_catalog\s*\.\s*)?"?(pg_[a-z_\x00]*advisory[a-z_\x00]*)"?\s*\((.*)\)` +
		`\s*(?:::\s*[a-z]+\s*)?(?:AS\s+[a-z_]+\s*|[a-z_]+\s*)?$`)
	nested    = regexp.MustCompile(`(?i)\b(SELECT|FROM|WITH|TABLE)\b`)
	number    = regexp.MustCompile(`(?i)^\(?\s*(-?[0-9]+)\s*\)?(?:\s*::\s*(?:bigint|int8|int|integer|int4))?$`)
	parameter = regexp.MustCompile(`(?is)^(?:CAST\s*\(\s*)?(?:\$[0-9]+|\?|[:@][a-z_]+|\x00|sqlc\.n?arg\s*\(\s*'?[a-z_]+'?\s*\))(?:\s*::\s*[a-z0-9]+|\s+AS\s+[a-z0-9]+\s*\))?$`)
	called    = regexp.MustCompile(`(?i)pg_[a-z_\x00]*advisory[a-z_\x00]*"?\s*\([^)]*\)`) // what isn't closed is no SQL
)

// Calls returns the statements of an SQL text that call lock functions. Texts that only mention one, also in quotes, have
// none.
func Calls(text string) []Call {
	if Names(text) == nil {
		return nil
	}
	var calls []Call
	line := 0
	for statement := range strings.SplitSeq(withoutQuoted(withoutComments(text)), ";") {
		first := line + strings.Count(statement[:len(statement)-len(strings.TrimLeft(statement, " \t\r\n"))], "\n")
		line += strings.Count(statement, "\n")
		for _, at := range called.FindAllString(statement, -1) {
			c := Call{Function: Names(at)[0], Line: first}
			if parts := alone.FindStringSubmatch(statement); len(parts) > 2 && balanced(parts[2]) && !nested.MatchString(parts[2]) && len(called.FindAllString(statement, -1)) == 1 {
				c.Alone = true
				c.readKey(parts[2])
			}
			calls = append(calls, c)
		}
	}
	return calls
}

func (c *Call) readKey(arguments string) {
	arguments = strings.TrimSpace(arguments)
	if arguments == "" {
		return // the function that lets go of everything
	}
	for key := range strings.SplitSeq(arguments, ",") {
		key = strings.TrimSpace(key)
		if n := number.FindStringSubmatch(key); n != nil {
			if id, err := strconv.ParseInt(n[1], 10, 64); err == nil {
				c.Keys = append(c.Keys, id)
			}
		} else if !parameter.MatchString(key) {
			c.Made = true
		}
	}
	c.Pair = strings.Contains(arguments, ",") && !c.Made
}

// withoutComments blanks comments out and keeps their line ends.
func withoutComments(text string) string {
	return comment.ReplaceAllStringFunc(text, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
}

var quoted = regexp.MustCompile(`'[^']*'`)

// withoutQuoted empties string constants and keeps their line ends.
func withoutQuoted(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(q string) string { return "'" + strings.Repeat("\n", strings.Count(q, "\n")) + "'" })
}

// KindIn returns what a text does with a lock function: "mention" if it doesn't call it.
func KindIn(calls []Call, name string) string {
	if slices.ContainsFunc(calls, func(c Call) bool { return c.Function == name }) {
		return Kind(name)
	}
	return "mention"
}

func balanced(text string) bool {
	depth := 0
	for _, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

var begin = regexp.MustCompile(`(?i)^\s*(begin|start\s+transaction)\b`)

// Begins reports whether a text's first statement begins a transaction.
func Begins(text string) bool { return begin.MatchString(withoutComments(text)) }

var ended = regexp.MustCompile(`(?i)^\s*(commit|rollback|end|abort)\s*(work|transaction)?\s*;?\s*$`)

// Ends reports whether a text ends a transaction.
func Ends(text string) bool { return ended.MatchString(withoutComments(text)) }

// Query is a named part of an SQL file: an sqlc query, or the whole file without a name.
type Query struct {
	Name string
	Line int // of the text's first line, from 1
	Text string
}

var queryName = regexp.MustCompile(`(?m)^--\s*name:\s*(\S+)[^\n]*$`)

// Queries splits an SQL file at its sqlc names.
func Queries(text string) []Query {
	var queries []Query
	start, name := 0, ""
	add := func(end int) {
		if part := text[start:end]; strings.TrimSpace(part) != "" {
			queries = append(queries, Query{Name: name, Line: 1 + strings.Count(text[:start], "\n"), Text: part})
		}
	}
	for _, at := range queryName.FindAllStringSubmatchIndex(text, -1) {
		add(at[0])
		start, name = at[0], text[at[2]:at[3]]
	}
	add(len(text))
	return queries
}

package main

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// lockFunction matches the names of PostgreSQL's advisory lock functions.
	lockFunction = regexp.MustCompile(`(?i)pg_[a-z_]*advisory[a-z_]*`)
	// lockCall matches a call of one. A call that isn't closed is no SQL.
	lockCall = regexp.MustCompile(`(?i)(pg_[a-z_]*advisory[a-z_]*)"?\s*\([^)]*\)`)
	// lonely matches a statement that calls a lock function with one parameter and does nothing else. It may call it
	// for the row of a tenant, which is one row, because a tenant's id is the primary key.
	lonely = regexp.MustCompile(`(?i)^\s*SELECT (pg_catalog\.)?pg_[a-z_]*advisory[a-z_]*` +
		`\((\$1|sqlc\.arg\([a-z_]+\))(::bigint)?\)(::text)?( AS [a-z_]+)?` +
		`( FROM tenants t WHERE t\.tenant_id = (\$2|sqlc\.arg\(tenant_id\)))?;?\s*$`)

	quotedOrComment = regexp.MustCompile(`(?s)'[^']*'|--[^\n]*|/\*.*?\*/`)
	queryName       = regexp.MustCompile(`(?m)^--\s*name:\s*(\S+).*$`)
)

// mention is a lock function that a statement, or a text in Go code, names.
type mention struct {
	place
	function string
	kind     string // what it does with the function: transaction, session, release, or mentioned
	alone    bool   // it calls the function and does nothing else
}

// mentionsIn returns the lock functions that a text names, each once. at is the place of the text's first line.
func mentionsIn(text string, at place) []mention {
	var all []mention
	for _, found := range lockFunction.FindAllStringIndex(text, -1) {
		function := strings.ToLower(text[found[0]:found[1]])
		if slices.ContainsFunc(all, func(m mention) bool { return m.function == function }) {
			continue
		}
		line := at.line + strings.Count(text[:found[0]], "\n")
		all = append(all, mention{place{at.ref, line}, function, kindIn(text, function), lonely.MatchString(text)})
	}
	return all
}

// kindIn returns what a text does with a lock function.
func kindIn(text, function string) string {
	calls := lockCall.FindAllStringSubmatch(blank(text, "'"), -1)
	switch {
	case !slices.ContainsFunc(calls, func(call []string) bool { return strings.EqualFold(call[1], function) }):
		return mentioned
	case strings.Contains(function, "unlock"):
		return "release"
	case strings.Contains(function, "xact"):
		return "transaction"
	}
	return "session"
}

// mentionsInFile returns the lock functions that an SQL file names outside of comments. Each belongs to the sqlc query
// that it stands in, or to one without a name.
func mentionsInFile(file, text string) []mention {
	var all []mention
	add := func(name string, start, end int) {
		at := place{ref{file, name}, 1 + strings.Count(text[:start], "\n")}
		all = append(all, mentionsIn(blank(text[start:end], "-/"), at)...)
	}
	start, name := 0, ""
	for _, found := range queryName.FindAllStringSubmatchIndex(text, -1) {
		add(name, start, found[0])
		start, name = found[0], text[found[2]:found[3]]
	}
	add(name, start, len(text))
	return all
}

// blank removes the quoted texts or the comments that begin with one of the given characters, and keeps their line
// ends.
func blank(text, beginnings string) string {
	return quotedOrComment.ReplaceAllStringFunc(text, func(piece string) string {
		if strings.ContainsRune(beginnings, rune(piece[0])) {
			return strings.Repeat("\n", strings.Count(piece, "\n"))
		}
		return piece
	})
}

// Package web is what all pages for people have in common: forms, headers, refusals, failures and lists. It serves the
// page on which they book, that of their booking, and both consoles. A package of pages embeds Visit in its own visits,
// and keeps its words and templates.
//
//	visit.go    a request: its query, its form, cookies, and leading the browser on
//	once.go     the key of a form, by which it does its work once
//	token.go    the token of a form, by which it belongs to a sign-in
//	headers.go  the headers of pages
//	respond.go  what each visit passes; failures, and forms that are refused
//	list.go     ids, and pages of lists
//	layout.go   the layout of both consoles, and what went wrong, in their words
//	words.go    amounts and names, in words
//	document.go documents of the API that forms make
package web

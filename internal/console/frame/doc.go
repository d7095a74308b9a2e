// Package frame is what all sections of the console need: a person's visit, what each request passes, rendering, and
// what pages of several sections show. A section embeds Console, and begins with Console.With and its own templates.
//
//	frame.go          what the sections share
//	handle.go         routes, and what each request passes
//	visit.go          a request: who is signed in, the tenant, the form
//	respond.go        rendering, templates, and what a failure looks like
//	words.go          dates, states and what was done, in words
//	links.go          tabs, and paths to pages of other sections
//	list.go, rows.go  pages of lists, and the rows that lists of several sections have
//	names.go, find.go names of services and resources; a booking of the path, and customers by a text
//	hand_back.go      money that people have to hand back
//	things.go         the pages of a kind of things: list, new, change, archive
//	edit.go           what the pages of things, and other pages with forms, show
//	reminders.go      the fields of a reminder
package frame

// Package guides makes web pages of the documentation in docs, for people who read it on their server. The pages are
// plain HTML: they need no script, and load nothing from another host.
//
//	guides.go    the pages and the navigation
//	links.go     links between pages, and what has no page
//	errors.go    the page of error codes
//	serve.go     the pages and the reference at /docs
//	page.html    the frame of each page
//	style.css    how pages look
package guides

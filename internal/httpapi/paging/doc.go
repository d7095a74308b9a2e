// Package paging reads and makes pages of lists, whose cursors tell where the next page begins.
//
//	page.go  what a request gives, pages and cursors
//	read.go  a page of rows of any size, read in steps
package paging

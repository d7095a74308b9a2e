// Package form has forms that are described by their fields, and make a document of the API of what was filled in.
// What a field may have, the type of the request says: see Of.
//
//	form.go           fields, and the document that a form makes
//	form_view.go      a form with what stands in its fields
//	amounts.go        amounts of money, as people write them
//	clock.go          times of day and hours, as people write them
//	year_day.go       dates from one to another, of one year or of each
//	moment.go         dates with a time of day
package form

// Package customers is the section of the console with customers.
//
//	section.go        the section
//	customers.go      its routes, and the list
//	customer.go       a customer with all that belongs to it
//	customer_form.go  making, changing and archiving a customer
//	customer_end.go   merging, erasing and exporting a customer
package customers

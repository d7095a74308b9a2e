// Package catalog is the section of the console with what can be booked, and when.
//
//	section.go        the section
//	services.go, service_fields.go  services, with a preview of the weeks that follow
//	presets.go        what businesses sell: with which fields a new service begins
//	resources.go      resources
//	hours.go, hours_form.go  the hours of resources and of the tenant
//	closures.go, blocks.go, repetition.go  what is closed, and what is blocked, and how often
package catalog

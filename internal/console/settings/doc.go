// Package settings is the section of the console with the tenant's settings.
//
//	section.go        the section
//	settings.go, settings_fields.go  the settings, and how emails read
//	share.go          how the booking page is shown to people
//	logo.go           the tenant's logo
package settings

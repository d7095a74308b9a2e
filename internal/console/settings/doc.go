// Package settings is the section of the console with the tenant's settings.
//
//	section.go        the section
//	settings.go, settings_fields.go  the settings, and how emails read
//	logo.go           the tenant's logo
package settings

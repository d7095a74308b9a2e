// Package person is what is stored of one person, across packages: merging two customers, erasing and exporting. It is
// above the packages whose records it writes, and nothing below calls it.
package person

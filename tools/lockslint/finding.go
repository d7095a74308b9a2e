package main

import (
	"cmp"
	"fmt"
	"slices"
)

// finding is something that is wrong, and what to do about it.
type finding struct {
	file    string // from the module's root
	line    int
	message string
}

// String prints a finding as compilers do.
func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.message) }

// findings collects what is wrong.
type findings struct{ list []finding }

// row adds what is wrong with a line of the registry.
func (f *findings) row(line int, format string, args ...any) {
	f.list = append(f.list, finding{registryPath, line, fmt.Sprintf(format, args...)})
}

// at adds what is wrong with a place in the code.
func (f *findings) at(where place, format string, args ...any) {
	f.list = append(f.list, finding{where.file, where.line, fmt.Sprintf(format, args...)})
}

// sorted returns the findings by file and line, each once.
func (f *findings) sorted() []finding {
	slices.SortFunc(f.list, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.message, b.message))
	})
	return slices.Compact(f.list)
}

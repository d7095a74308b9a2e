// Package formtest checks the forms of a section, for the tests of the section.
package formtest

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/console/form"
)

// Check fails the test unless forms has all forms of the package that are made of the type of a request, by their
// functions, and each field shows a value of the request. A form of which there are several has more after a comma.
func Check(t *testing.T, forms map[string]form.Form) {
	t.Helper()
	tested := make([]string, 0, len(forms))
	for name, f := range forms { // making one refuses a field that its request lacks
		function, _, _ := strings.Cut(name, ",")
		tested = append(tested, function)
		for _, g := range f.Groups {
			checkFields(t, name, g.Fields)
		}
	}
	slices.Sort(tested)
	require.ElementsMatch(t, made(t), slices.Compact(tested))
}

// made returns the functions of the package that make a form.
func made(t *testing.T) (names []string) {
	t.Helper()
	sources := os.DirFS(".")
	files, err := fs.Glob(sources, "*.go")
	require.NoError(t, err)
	makes := regexp.MustCompile(`(?m)^func (\w+)\(.*\) form\.Form \{$(?:\n\t.*|\n)*?\n\t(?:return |.*)form\.Of\[`)
	for _, file := range files {
		source, err := fs.ReadFile(sources, file)
		require.NoError(t, err)
		for _, match := range makes.FindAllStringSubmatch(string(source), -1) {
			names = append(names, match[1])
		}
	}
	return names
}

func checkFields(t *testing.T, name string, fields []form.Field) {
	t.Helper()
	for _, fl := range fields {
		require.NotEmpty(t, fl.Kind, "%s: %s", name, fl.Name)
		for value, label := range fl.Labels {
			require.Contains(t, fl.Options, form.Option{Value: value, Label: label}, "%s: %s has no such value", name,
				fl.Name)
		}
		checkFields(t, name, fl.Fields)
	}
}

// Find returns a field of a form.
func Find(t *testing.T, f form.Form, name string) form.Field {
	t.Helper()
	for _, g := range f.Groups {
		for _, fl := range g.Fields {
			if fl.Name == name {
				return fl
			}
		}
	}
	require.Fail(t, "no such field", name)
	return form.Field{}
}

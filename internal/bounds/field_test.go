package bounds_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/bounds"
)

type state string

func (state) Values() []string { return []string{"on", "off"} }

type form struct {
	request

	State  state   `json:"state" required:"false"`
	States []state `json:"states,omitzero" maxItems:"2"`
	From   *string `json:"from" format:"date"`
}

func TestFieldOf_Path_FindsWhatTheTagsSay(t *testing.T) {
	t.Parallel()
	text, number := reflect.TypeFor[string](), reflect.TypeFor[int]()
	for path, want := range map[string]bounds.Field{
		"name":        {Type: text, Required: true, Max: 4},
		"kind":        {Type: text, Required: true, Values: []string{"a", "b"}},
		"phone":       {Type: text},
		"party":       {Type: number, Required: true},
		"guests":      {Type: reflect.TypeFor[[]guest](), Required: true, Max: 2},
		"guests.name": {Type: text, Required: true, Max: 3},
		"lead.name":   {Type: text, Required: true, Max: 3},
		"to":          {Type: text, Required: true, Max: 3},
		"tags":        {Type: reflect.TypeFor[[]string](), Max: 1},
		"state":       {Type: reflect.TypeFor[state](), Values: []string{"on", "off"}},
		"states":      {Type: reflect.TypeFor[[]state](), Max: 2, Values: []string{"on", "off"}},
		"from":        {Type: text, Required: true, Format: "date"},
	} {
		found, ok := bounds.FieldOf(reflect.TypeFor[form](), path)
		require.True(t, ok, path)
		require.Equal(t, want, found, path)
	}
}

func TestFieldOf_PathThatIsNone_IsNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "Name", "guests.age", "name.first", "Hidden", "-", "request"} {
		_, ok := bounds.FieldOf(reflect.TypeFor[form](), path)
		require.False(t, ok, path)
	}
}

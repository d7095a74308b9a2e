package bounds_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/bounds"
	"holdfast/internal/problem"
)

type embedded struct {
	Kind string `json:"kind" enum:"a,b"`
}

type guest struct {
	Name string `json:"name" minLength:"1" maxLength:"3"`
}

type request struct {
	embedded

	Name   string   `json:"name" minLength:"2" maxLength:"4"`
	Phone  *string  `json:"phone,omitempty" minLength:"1"`
	Note   string   `json:"note,omitempty" minLength:"3"`
	Party  int      `json:"party" minimum:"1" maximum:"10"`
	Amount *int64   `json:"amount" minimum:"0"`
	Guests []guest  `json:"guests" minItems:"1" maxItems:"2"`
	Tags   []string `json:"tags,omitempty" maxItems:"1"`
	Lead   *guest   `json:"lead"`
	Hidden string   `json:"-" minLength:"9"`

	*Move

	Colour colour         `json:"colour,omitempty"`
	Marks  []colour       `json:"marks,omitempty"`
	Days   []string       `json:"days,omitempty" enum:"mon,tue"`
	Slug   string         `json:"slug,omitempty" pattern:"^[a-z]+$"`
	Counts map[string]int `json:"counts,omitempty" maxProperties:"1"`
}

// Move is exported because only then is an embedded pointer read from JSON.
type Move struct {
	To string `json:"to" maxLength:"3"`
}

type colour string

func (colour) Values() []string { return []string{"red", "blue"} }

func valid() request {
	return request{embedded: embedded{"a"}, Name: "Adal", Party: 10, Guests: []guest{{"Bo"}}}
}

func TestCheck_BrokenBound_NamesTheFieldAndTheReason(t *testing.T) {
	t.Parallel()
	require.NoError(t, bounds.Check("", valid()))
	for name, test := range map[string]struct {
		change func(*request)
		code   string
	}{
		"kind":           {func(r *request) { r.Kind = "c" }, "not_one_of"},
		"name":           {func(r *request) { r.Name = "A" }, "too_short"},
		"phone":          {func(r *request) { r.Phone = new("") }, "too_short"},
		"note":           {func(r *request) { r.Note = "ab" }, "too_short"},
		"party":          {func(r *request) { r.Party = 0 }, "too_small"},
		"amount":         {func(r *request) { r.Amount = new(int64(-1)) }, "too_small"},
		"guests":         {func(r *request) { r.Guests = nil }, "too_short"},
		"guests[1].name": {func(r *request) { r.Guests = append(r.Guests, guest{"long"}) }, "too_long"},
		"tags":           {func(r *request) { r.Tags = []string{"a", "b"} }, "too_long"},
		"lead.name":      {func(r *request) { r.Lead = new(guest) }, "too_short"},
		"to":             {func(r *request) { r.Move = &Move{"far away"} }, "too_long"},
		"colour":         {func(r *request) { r.Colour = "green" }, "not_one_of"},
		"marks[1]":       {func(r *request) { r.Marks = []colour{"red", "green"} }, "not_one_of"},
		"days[0]":        {func(r *request) { r.Days = []string{"sun"} }, "not_one_of"},
		"slug":           {func(r *request) { r.Slug = "A" }, "pattern"},
		"counts":         {func(r *request) { r.Counts = map[string]int{"a": 1, "b": 2} }, "too_long"},
	} {
		r := valid()
		test.change(&r)
		err := bounds.Check("order.", r)
		require.True(t, problem.Is(err, problem.ValidationFailed), name)
		fields := problem.DocumentOf(err).Errors
		require.Len(t, fields, 1, name)
		require.Equal(t, "order."+name, fields[0].Name)
		require.Equal(t, test.code, fields[0].Code, name)
	}
}

func TestCheck_ValuesWithinTheirBounds_AreAccepted(t *testing.T) {
	t.Parallel()
	r := valid()
	r.Move, r.Colour, r.Marks, r.Days, r.Slug = &Move{"far"}, "blue", []colour{"red"}, []string{"mon"}, "slug"
	require.NoError(t, bounds.Check("", r))
}

func TestCheck_Pattern_IsToldInItsWordsIfItHasAny(t *testing.T) {
	t.Parallel()
	detail := func(v any) string { return problem.DocumentOf(bounds.Check("", v)).Errors[0].Detail }
	require.Equal(t, "Expected small letters.", detail(struct {
		Slug string `json:"slug" pattern:"^[a-z]+$" expected:"small letters"`
	}{"A"}))
	require.Equal(t, "Expected text that matches ^[a-z]+$.", detail(struct {
		Slug string `json:"slug" pattern:"^[a-z]+$"`
	}{"A"}))
}

func TestCheck_Characters_AreCountedAndNotBytes(t *testing.T) {
	t.Parallel()
	r := valid()
	r.Name = "äöüß"
	require.NoError(t, bounds.Check("", r))
	r.Name = strings.Repeat("ä", 5)
	require.Error(t, bounds.Check("", r))
}

func TestCheck_SeveralBounds_AreToldAtOnce(t *testing.T) {
	t.Parallel()
	r := valid()
	r.Name, r.Party = "", 11
	require.Len(t, problem.DocumentOf(bounds.Check("", r)).Errors, 2)
}

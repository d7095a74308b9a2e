package mergepatch_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/mergepatch"
)

// The examples are those of RFC 7396, appendix A, whose documents are objects.
func TestApply_ExamplesOfTheRFC_GiveTheirResults(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		var before map[string]any
		require.NoError(t, json.Unmarshal([]byte(c[0]), &before))
		after, err := mergepatch.Of[map[string]any](c[1]).Apply(before)
		require.NoError(t, err)
		got, err := json.Marshal(after)
		require.NoError(t, err)
		require.JSONEq(t, c[2], string(got), "%s with %s", c[0], c[1])
	}
}

type thing struct {
	Name  string          `json:"name"`
	Most  *int            `json:"most,omitempty"`
	List  []string        `json:"list,omitzero"`
	Large int64           `json:"large"`
	Own   json.RawMessage `json:"own"`
}

func TestApply_Struct_NullRemovesAndTheRestStays(t *testing.T) {
	t.Parallel()
	before := thing{Name: "Boat", Most: new(3), List: []string{}, Large: 9007199254740993,
		Own: json.RawMessage(`{"z":1.50,"a":[{"b":null}]}`)}
	same, err := mergepatch.Patch[thing]{}.Apply(before)
	require.NoError(t, err)
	require.Equal(t, before, same)
	same, err = mergepatch.Of[thing](`{"name":"Boat"}`).Apply(before)
	require.NoError(t, err)
	require.Equal(t, before, same, "also numbers beyond 2^53, the empty list, and an object that only is kept")

	changed, err := mergepatch.Of[thing](`{"most":null,"list":null,"own":{"a":null,"c":{"d":1}}}`).Apply(before)
	require.NoError(t, err)
	require.Nil(t, changed.Most)
	require.Nil(t, changed.List)
	require.JSONEq(t, `{"z":1.50,"c":{"d":1}}`, string(changed.Own))
	require.Equal(t, "Boat", changed.Name)
}

func TestApply_WhatThePatchDoesNotName_KeepsItsBytesAndItsPlace(t *testing.T) {
	t.Parallel()
	before := thing{Own: json.RawMessage(`{"z":"<b>&amp;\u00e9","a":1.50,"m":{"y":1E+2,"x":[0]},"b":"\u003c"}`)}
	for document, after := range map[string]string{
		`{"name": "Boat"}`: string(before.Own),
		`{"own": {"a": 2.50, "n": "<i>", "k": {"q": null, "r": 1}}}`: `{"z":"<b>&amp;\u00e9",` +
			`"a":2.50,"m":{"y":1E+2,"x":[0]},"b":"\u003c","n":"<i>","k":{"r":1}}`,
		`{"own": {"m": {"y": null}, "\u007a": null}}`: `{"a":1.50,"m":{"x":[0]},"b":"\u003c"}`,
	} {
		changed, err := mergepatch.Of[thing](document).Apply(before)
		require.NoError(t, err)
		require.Equal(t, after, string(changed.Own), document)
	}
}

func TestApply_WhatIsNoPatch_IsRefused(t *testing.T) {
	t.Parallel()
	for _, document := range []string{`[]`, `1`, `"x"`, `{`, `{"large":"x"}`} {
		_, err := mergepatch.Of[thing](document).Apply(thing{Own: json.RawMessage(`{}`)})
		require.Error(t, err, document)
	}
}

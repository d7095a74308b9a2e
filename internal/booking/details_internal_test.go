package booking

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
)

func TestNamesOfDetails_OneMoreText_IsAmongThem(t *testing.T) {
	t.Parallel()
	type more struct {
		Details

		Colour *string `json:"colour,omitempty"`
	}
	require.Equal(t, []string{"reference", "external_reference", "metadata"}, NamesOfDetails())
	require.Equal(t, append(NamesOfDetails(), "colour"), namesIn(reflect.TypeFor[more]()))
}

func TestDetails_Stored_KeepTheTenantsBytes(t *testing.T) {
	t.Parallel()
	for stored, d := range map[string]Details{
		`{}`:                  {Metadata: catalog.Metadata(`{}`)},
		`{"reference":"<A>"}`: {Reference: new("<A>")},
		`{"external_reference":"1","metadata":{"b":"<&>","a":1.50}}`: {ExternalReference: new("1"),
			Metadata: catalog.Metadata(`{"b":"<&>","a":1.50}`)},
	} {
		got, err := d.stored()
		require.NoError(t, err)
		require.Equal(t, stored, string(got))
		back, err := detailsOf(json.RawMessage(stored))
		require.NoError(t, err)
		again, err := back.stored()
		require.NoError(t, err)
		require.Equal(t, stored, string(again))
	}
}

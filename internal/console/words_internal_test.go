package console

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/settings"
)

// enumOf returns the values that the API's schema lets a field have.
func enumOf[T any](t *testing.T, name string) []string {
	t.Helper()
	field, ok := reflect.TypeFor[T]().FieldByName(name)
	require.True(t, ok)
	return strings.Split(field.Tag.Get("enum"), ",")
}

func TestOwnerEvents_AreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	var offered []string
	for _, o := range ownerEvents {
		offered = append(offered, o.Value)
	}
	require.ElementsMatch(t, enumOf[settings.OwnerEmail](t, "Types"), offered)
}

func TestDifferences_EachKindOfTheAPI_HasWords(t *testing.T) {
	t.Parallel()
	kinds := enumOf[payment.DifferenceBody](t, "Kind")
	require.Len(t, differenceWords, len(kinds))
	for _, kind := range kinds {
		row := differenceRow{DifferenceBody: payment.DifferenceBody{Kind: payment.DifferenceKind(kind)}}
		require.NotEmpty(t, row.What(), kind)
		require.NotEmpty(t, row.ToDo(), kind)
	}
}

func TestFee_IsShownInPercent(t *testing.T) {
	t.Parallel()
	for basisPoints, want := range map[int]string{0: "", 1: "0.01%", 50: "0.5%", 100: "1%", 150: "1.5%", 1000: "10%", 10000: "100%"} {
		require.Equal(t, want, accountPage{AccountBody: payment.AccountBody{FeeBasisPoints: basisPoints}}.Fee())
	}
}

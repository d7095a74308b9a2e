package console

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

func TestDifferences_EachKindOfTheAPI_HasWords(t *testing.T) {
	t.Parallel()
	field, ok := reflect.TypeFor[payment.DifferenceBody]().FieldByName("Kind")
	require.True(t, ok)
	kinds := strings.Split(field.Tag.Get("enum"), ",")
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

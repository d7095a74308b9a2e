package money

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/bounds"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

func TestDifferences_EachKindOfTheAPI_HasWords(t *testing.T) {
	t.Parallel()
	kinds, ok := bounds.FieldOf(reflect.TypeFor[payment.DifferenceBody](), "kind")
	require.True(t, ok)
	require.Len(t, differenceWords, len(kinds.Values))
	for _, kind := range kinds.Values {
		row := differenceRow{DifferenceBody: payment.DifferenceBody{Kind: payment.DifferenceKind(kind)}}
		require.NotEmpty(t, row.What(), kind)
		require.NotEmpty(t, row.ToDo(), kind)
	}
}

func TestFee_IsShownInPercent(t *testing.T) {
	t.Parallel()
	for basisPoints, want := range map[int]string{0: "", 1: "0.01%", 50: "0.5%", 100: "1%", 150: "1.5%", 1000: "10%",
		10000: "100%"} {
		require.Equal(t, want, accountPage{AccountBody: payment.AccountBody{FeeBasisPoints: basisPoints}}.Fee())
	}
}

func TestOfOffline_FieldsOfOfflineMoney_AreNamedAsInForms(t *testing.T) {
	t.Parallel()
	refusal := ofOffline(fmt.Errorf("pay: %w", problem.Invalid("offline.note", "too_long", "Expected less.")))
	require.Equal(t, "note", problem.DocumentOf(refusal).Errors[0].Name)
	other := errors.New("no refusal")
	require.Equal(t, other, ofOffline(other))
}

package stripe

import (
	"testing"

	"github.com/stretchr/testify/require"
	api "github.com/stripe/stripe-go/v85"
)

func FuzzAmount_ConvertedAndBack_IsUnchanged(f *testing.F) {
	for _, amount := range []int64{-1, 0, 1, 7, 10, 100, 4500, 1<<53 - 1, 1<<63 - 1} {
		for _, currency := range []string{"EUR", "JPY", "ISK", "MGA", "KWD", "usd", ""} {
			f.Add(amount, currency)
		}
	}
	f.Fuzz(func(t *testing.T, amount int64, currency string) {
		theirs, err := toStripe(amount, currency)
		if err == nil {
			require.Positive(t, theirs)
			if currency == isoCode(api.Currency(currency)) {
				ours, err := fromStripe(theirs, api.Currency(currency))
				require.NoError(t, err)
				require.Equal(t, amount, ours)
			}
		}
		ours, err := fromStripe(amount, api.Currency(currency))
		if err == nil {
			require.GreaterOrEqual(t, ours, int64(0), "an amount that is too large isn't taken for another one")
		}
	})
}

func FuzzReference(f *testing.F) {
	f.Add("01a1fbc1-cc0e-7000-8000-000000000001", "01a1fbc1-cc0e-7000-8000-000000000002")
	f.Add("", "x")
	f.Add("urn:uuid:01a1fbc1-cc0e-7000-8000-000000000001", "{01a1fbc1-cc0e-7000-8000-000000000002}")
	f.Fuzz(func(t *testing.T, tenant, id string) {
		ref, ours := reference(map[string]string{tenantField: tenant, paymentField: id}, paymentField)
		if !ours {
			return
		}
		again, ours := reference(metadata(ref, paymentField, nil), paymentField)
		require.True(t, ours)
		require.Equal(t, ref, again)
	})
}

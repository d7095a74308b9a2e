package tenant

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func FuzzParseAPIKey(f *testing.F) {
	whole := newAPIKey(uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")).text
	for _, text := range []string{"", "hf_", whole, whole[:len(whole)-1], whole + "x", strings.ToUpper(whole),
		strings.Replace(whole, "_", "-", 1), whole[:10] + "\r\n" + whole[12:]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, ok := parseAPIKey(text)
		if !ok {
			require.Zero(t, k)
			return
		}
		require.Equal(t, text, k.text)
		require.Len(t, k.prefix, prefixChars)
		// All of the tenant's characters but the last, which has two bits to spare.
		require.True(t, strings.HasPrefix(text, keyStart+idEncoding.EncodeToString(k.tenant[:])[:tenantChars-1]), text)
		require.Equal(t, k.prefix, text[len(keyStart)+tenantChars:][:prefixChars])
	})
}

func FuzzNewTenant(f *testing.F) {
	f.Add("Europe/Berlin", "EUR")
	f.Add("Local", "eur")
	f.Add("", "")
	f.Add("../../etc/passwd", "XXX")
	f.Add("UTC", "KWD")
	f.Fuzz(func(t *testing.T, zone, currency string) {
		loc, err := CreateRequest{TimeZone: zone, Currency: currency}.check()
		if err != nil {
			return
		}
		require.Equal(t, zone, loc.String(), "a name that is stored leads to the same zone again")
		require.Regexp(t, `^[A-Z]{3}$`, currency, "what passes can be stored")
	})
}

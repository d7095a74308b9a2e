package email_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

func TestRender_Languages_HaveTheirOwnDatesAmountsAndMethods(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Europe/Berlin", 7200)
	d := email.Data{
		Starts: time.Date(2027, time.March, 6, 14, 0, 0, 0, zone),
		Ends:   time.Date(2027, time.March, 7, 2, 0, 0, 0, zone),
		Price:  email.Amount{Minor: 123450, Currency: "EUR"}, PaymentMethod: email.MethodCash,
	}
	for language, want := range map[email.Language]string{
		"":   "Saturday 6 March 2027, 14:00 to Sunday 7 March 2027, 02:00; 1,234.50 EUR; cash",
		"en": "Saturday 6 March 2027, 14:00 to Sunday 7 March 2027, 02:00; 1,234.50 EUR; cash",
		"de": "Samstag, 6. März 2027, 14:00 bis Sonntag, 7. März 2027, 02:00; 1.234,50 EUR; bar",
		"es": "sábado, 6 de marzo de 2027, 14:00 a domingo, 7 de marzo de 2027, 02:00; 1.234,50 EUR; efectivo",
	} {
		d.Language = language
		c, err := email.Render(email.PaymentSucceeded,
			email.Template{Subject: "s", Text: "{{when}}; {{price}}; {{payment_method}}"}, d)
		require.NoError(t, err)
		require.Equal(t, want, c.Text)
	}
}

func TestRender_EachMethodAndLanguage_HasWords(t *testing.T) {
	t.Parallel()
	methods := []email.Method{
		email.MethodCard, email.MethodCredit, email.MethodCardAndCredit, email.MethodCash, email.MethodTransfer,
		email.MethodTerminal,
	}
	for _, language := range email.Languages {
		seen := map[string]bool{}
		for _, method := range methods {
			for _, kind := range []email.Kind{email.PaymentSucceeded, email.PaymentRefunded} {
				c, err := email.Render(kind, email.Default(kind, language), email.Data{
					Language: language, Payment: email.Amount{Minor: 1500, Currency: "EUR"}, PaymentMethod: method,
				})
				require.NoError(t, err)
				require.NotContains(t, c.Text, "()")
				seen[c.Text] = true
			}
		}
		require.GreaterOrEqual(t, len(seen), 2*len(methods)-1, "a terminal's refund may read as that of a card")
		c, err := email.Render(email.PaymentRefunded, email.Default(email.PaymentRefunded, language),
			email.Data{Language: language,
				Payment: email.Amount{Minor: 1500, Currency: "EUR"}, PaymentMethod: "newer"})
		require.NoError(t, err)
		require.NotRegexp(t, `(?i)card|Karte|tarjeta`, c.Text, "of what nobody knows nothing is said")
	}
}

package receiptpdf

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzPDFText(f *testing.F) {
	for _, text := range []string{"", "Ada", " Ada\n\tLovelace ", "Ada 🚀", "❤\ufe0f", strings.Repeat("é", 300),
		"\u202eevil\x1b[31m\u0000",
		"\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		printed := pdfText(text)
		require.LessOrEqual(t, utf8.RuneCountInString(printed), maxPDFText)
		require.True(t, utf8.ValidString(printed))
		require.NotContains(t, printed, "\n")
		require.Equal(t, printed, pdfText(printed))
	})
}

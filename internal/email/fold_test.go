package email_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/email"
)

func TestFold_LettersOutsideASCII_StayAsTheyAre(t *testing.T) {
	t.Parallel()
	for given, folded := range map[string]string{
		"Kim@ACME.example":      "kim@acme.example",
		"\u212Aim@acme.example": "\u212Aim@acme.example", // the sign for kelvin, of which the small letter is k
		"K\u0130M@acme.example": "k\u0130m@acme.example", // I with a dot, of which the small letter begins with i
		"ÄRGER@acme.example":    "Ärger@acme.example",
		"[\\]^_`{|}~@x.example": "[\\]^_`{|}~@x.example",
	} {
		require.Equal(t, folded, email.Fold(given))
	}
}

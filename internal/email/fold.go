package email

import "strings"

// Fold returns an address as addresses are compared: with the letters A to Z small. Letters outside ASCII stay as they
// are. Unicode gives some of them, such as the sign for kelvin, the small letter of another address.
func Fold(address string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, address)
}

package testtime

import (
	"cmp"
	"flag"
	"os"
	"strconv"
)

// FixDraws has rapid draw the same values in each run, Rounds(checks) times for each property. TestMain calls it before
// it runs the tests, so that the flags -rapid.seed and -rapid.checks override it.
func FixDraws(checks int) {
	for name, value := range map[string]string{
		"rapid.seed":   cmp.Or(os.Getenv(seedVariable), strconv.Itoa(fixedSeed)),
		"rapid.checks": strconv.Itoa(Rounds(checks)),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

package amount

// steps lists the currencies in which not every number of minor units can be paid: cards and providers take only
// multiples of the step.
var steps = map[string]int64{
	"BHD": 10, "JOD": 10, "KWD": 10, "OMR": 10, "TND": 10, // three decimals, of which the last is 0
	"MGA": 100, // no fractions of an ariary
}

// Step returns the unit in which providers take amounts of a currency, in minor units. What is computed, and isn't
// entered by a person, is a multiple of it.
func Step(currency string) int64 {
	if step, ok := steps[currency]; ok {
		return step
	}
	return 1
}

// Down returns the largest multiple of the currency's Step up to an amount of minor units.
func Down(minor int64, currency string) int64 { return minor - minor%Step(currency) }

// Up returns the smallest multiple of the currency's Step from an amount of minor units on.
func Up(minor int64, currency string) int64 { return Down(minor+Step(currency)-1, currency) }

// Percent returns a percentage of an amount of minor units, which is at most 1<<53: rounded half up to the currency's
// Step, and at most the amount. 100 percent are all of it.
func Percent(minor int64, percent int, currency string) int64 {
	if percent == 100 {
		return minor
	}
	step := Step(currency)
	return min((minor*int64(percent)+50*step)/(100*step)*step, minor)
}

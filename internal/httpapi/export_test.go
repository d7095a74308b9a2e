package httpapi

// Example is an example for tests.
type Example struct{ Operation, Name, Path, Body, Result, Before string }

// Examples returns the examples in their order.
func Examples() []Example {
	list := make([]Example, len(examples))
	for i, e := range examples {
		list[i] = Example{e.operation, e.name, e.path, e.body, e.result, e.before}
	}
	return list
}

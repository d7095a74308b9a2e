package httpapi

// RequestExample is an example for tests.
type RequestExample struct{ Operation, Name, Path, Body, Result, Before string }

// RequestExamples returns the examples in their order.
func RequestExamples() []RequestExample {
	list := make([]RequestExample, len(examples))
	for i, e := range examples {
		list[i] = RequestExample{e.operation, e.name, e.path, e.body, e.result, e.before}
	}
	return list
}

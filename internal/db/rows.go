package db

// Convert returns rows of generated code in another type.
func Convert[From, To any](rows []From, to func(From) To) []To {
	list := make([]To, len(rows))
	for i, r := range rows {
		list[i] = to(r)
	}
	return list
}

// OrZero returns what p points to, the zero value for nil. In a parameter that is an array for each column, the zero
// value means null.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

package servertest

import "os"

// Output is a file with what a process has written so far.
type Output string

// String returns all of it.
func (o Output) String() string {
	text, err := os.ReadFile(string(o))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Tail returns the last size bytes of it.
func (o Output) Tail(size int) string {
	text := o.String()
	return text[max(len(text)-size, 0):]
}

func (o Output) open() (*os.File, error) {
	return os.OpenFile(string(o), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

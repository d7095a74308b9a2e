package servertest

import (
	"io"
	"os"
)

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
func (o Output) Tail(size int64) string {
	file, err := os.Open(string(o))
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > size {
		_, _ = file.Seek(-size, io.SeekEnd) // without it, more than the tail is read
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (o Output) open() (*os.File, error) {
	return os.OpenFile(string(o), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
